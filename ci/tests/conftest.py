"""Kits and dossiers that stand for nodes with GPUs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / "ci" / "pipelines" / "certify_node"
EXAMPLE = ROOT / "dossiers" / "schema" / "examples" / "dossier.json"
UUID, RUN = "GPU-e0a3b1e0-0000-4000-8000-000000000001", "example-20261129-021407"
Ended = subprocess.CompletedProcess[str]


def call(*command: str | Path, **environment: str) -> Ended:
    """Runs a script; both outputs are text."""
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture
def assay() -> Path:
    """The built command line."""
    name = os.environ.get("ASSAY")
    if not name:
        pytest.skip("ASSAY names no built command line")
    return Path(name)


@pytest.fixture
def kit(tmp_path: Path, assay: Path) -> Path:
    """A kit whose certifications are provisional: the worked example's device has no approved dossier."""
    program = tmp_path / "a kit" / "bin" / "assay"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = certify ]; then set -- "$@" --bootstrap; fi\nexec "{assay}" "$@"\n'
    )
    program.chmod(0o755)
    return program.parents[1]


@pytest.fixture
def dossiers(tmp_path: Path) -> Callable[..., Path]:
    """Writes dossiers of `count` GPUs for a host; `bad` ones have a DRAM that reads too fast to be true."""

    def write(host: str, count: int, bad: int = 0) -> Path:
        folder = tmp_path / "dossiers"
        (folder / host).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            text = EXAMPLE.read_text(encoding="utf-8")
            text = text.replace(UUID, f"GPU-{host}-{number}").replace(RUN, f"run-{host}-{number}")
            # No product of that name has an approved dossier, so drift is left out.
            text = text.replace('"name": "NVIDIA H200"', '"name": "stand-in"')
            if number < bad:
                text = text.replace('"read": 4605.0', '"read": 5200.0')
            (folder / host / f"{number}.json").write_text(text, encoding="utf-8")
        return folder

    return write


def fake_kit(folder: Path, script: str) -> Path:
    """A kit whose bin/assay is that shell script."""
    program = folder / "bin" / "assay"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    return folder
