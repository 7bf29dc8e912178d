"""Which gpu tests does no recorded run prove, and is what was skipped ever taken for proven?"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from conftest import ROOT, Ended, call

TESTS = ("gpu.a.Passes", "gpu.b.Skips", "gpu.c.Fails", "gpu.d.IsNew", "invariant.x", "invariant.y")


def listed(tmp_path: Path, *runs: dict[str, str]) -> Ended:
    """The list for TESTS, given the verdicts of recorded runs."""
    recorded = tmp_path / "ci" / "gpu-runs"
    recorded.mkdir(parents=True)
    script = shutil.copy(ROOT / "ci" / "list_unproven_gpu_tests", tmp_path / "ci")
    for number, run in enumerate(runs):
        tests = [{"name": name, "verdict": verdict} for name, verdict in run.items()]
        (recorded / f"{number}.json").write_text(json.dumps({"tests": tests}, indent=1))
    ctest = tmp_path / "bin" / "ctest"
    ctest.parent.mkdir()
    ctest.write_text("".join(["#!/bin/sh\n", *[f"echo '  Test #1: {name}'\n" for name in TESTS]]))
    ctest.chmod(0o755)
    return call(script, tmp_path, PATH=f"{ctest.parent}:{os.environ['PATH']}")


def test_only_a_pass_proves_and_only_an_invariant_may_apply_nowhere(tmp_path: Path) -> None:
    first = {name: "pass" for name in TESTS[:1]} | {"gpu.b.Skips": "not_applicable", "gpu.c.Fails": "fail"}
    second = {"invariant.x": "not_applicable", "invariant.y": "not_applicable"}
    done = listed(tmp_path, first, second, {"invariant.y": "fail"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "gpu tests that apply to no device of a recorded run (1 of 6):",
        "  invariant.x",
        "gpu tests that no recorded run has passed (4 of 6):",
        "  gpu.b.Skips",
        "  gpu.c.Fails",
        "  gpu.d.IsNew",
        "  invariant.y",
    ]


def test_all_proven_is_said_with_their_number(tmp_path: Path) -> None:
    done = listed(tmp_path, dict.fromkeys(TESTS, "fail"), dict.fromkeys(TESTS, "pass"))
    assert done.stdout == "gpu tests: each of 6 that apply passed in a recorded run\n"


def test_a_plant_that_no_kill_matrix_holds_is_listed(tmp_path: Path) -> None:
    plants = tmp_path / "fixtures" / "plants"
    (plants / "gpu").mkdir(parents=True)
    for name in ("h_add", "h_add_too", "forge"):
        (plants / "gpu" / f"{name}.cu").write_text("")
    rows = {"plants": [{"id": "forge (grade B)"}], "honest": [{"id": "h_add_too (grade C)"}]}
    (plants / "kill-matrix.json").write_text(json.dumps(rows, indent=2))
    done = listed(tmp_path, dict.fromkeys(TESTS, "pass"))
    assert done.stdout.splitlines()[1:] == ["gpu plants and controls that no recorded kill matrix holds:", "  h_add"]
    assert done.returncode == 0, done.stderr


def test_plants_that_are_all_recorded_are_said_to_be(tmp_path: Path) -> None:
    plants = tmp_path / "fixtures" / "plants"
    (plants / "gpu").mkdir(parents=True)
    (plants / "gpu" / "h_add.cu").write_text("")
    (plants / "kill-matrix.json").write_text(json.dumps({"honest": [{"id": "h_add (grade B)"}]}))
    done = listed(tmp_path, dict.fromkeys(TESTS, "pass"))
    assert done.stdout.splitlines()[1:] == ["gpu plants: every one is in the recorded kill matrix"]
