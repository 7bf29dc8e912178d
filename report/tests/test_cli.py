from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay_report.__main__ import _EXAMPLE, run

from .conftest import EXAMPLE

Document = dict[str, Any]
REPORT = Path(__file__).resolve().parents[1]


def _call(arguments: Sequence[str | Path], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay_report", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(REPORT)}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=environment)


def test_without_a_target_the_text_goes_to_stdout() -> None:
    done = _call([EXAMPLE])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("verdict  pass")


def test_json_says_what_was_written_and_stdout_holds_nothing_else(tmp_path: Path) -> None:
    done = _call([EXAMPLE, "--html", tmp_path / "a.html", "--markdown", tmp_path / "a.md", "--json"])
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["verdict"] == "pass"
    assert [Path(name).name for name in answer["written"]] == ["a.html", "a.md"]
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.html", "a.md"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "CERTIFICATE"),
        ([EXAMPLE, "--htlm", "x"], "--htlm"),
        (["nothing.json"], "nothing.json"),
        ([EXAMPLE, "--html", "no/such/folder/a.html"], "no/such/folder/a.html"),
        ([EXAMPLE, "--kernels", EXAMPLE], '"kernels" must be a list'),
        ([EXAMPLE, "--drift", EXAMPLE], "assay drift --json"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: Sequence[str | Path], named: str, tmp_path: Path
) -> None:
    done = _call(arguments, tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert named in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["-1", "0", "null", '"fast"', "true", "1e999"])
def test_a_kernel_without_a_positive_rate_is_refused(tmp_path: Path, value: str) -> None:
    kernels = tmp_path / "kernels.json"
    kernels.write_text(
        f'{{"kernels": [{{"name": "k", "arithmetic_intensity": 1, "achieved_tflops": {value}}}]}}'
    )
    done = _call([EXAMPLE, "--kernels", kernels])
    assert done.returncode == 2
    assert "achieved_tflops" in done.stderr or "not JSON" in done.stderr


def test_the_example_of_the_help_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = re.search(r"assay report (\S+) --html (\S+)", _EXAMPLE)
    assert match
    folder = tmp_path / match.group(1)
    folder.mkdir(parents=True)
    (folder / "certificate.json").write_bytes(EXAMPLE.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run([match.group(1), "--html", match.group(2)]) == 0
    assert (tmp_path / match.group(2)).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_pipe_that_closes_early_is_no_traceback() -> None:
    command = f"{sys.executable} -m assay_report {EXAMPLE} | head -c 10"
    environment = {**os.environ, "PYTHONPATH": str(REPORT)}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env=environment
    )
    assert "Traceback" not in done.stderr


def test_the_built_verb_renders_through_the_command_line(tmp_path: Path) -> None:
    assay = os.environ.get("ASSAY")
    if not assay:
        pytest.skip("ASSAY names no built command line")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    target = tmp_path / "a.html"
    done = subprocess.run(
        [assay, "report", str(EXAMPLE), "--html", str(target)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert "</html>" in target.read_text(encoding="utf-8")
