"""Is every file that a user copies valid, and is what it calls there?"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from conftest import ROOT, call

PIPELINES = ROOT / "ci" / "pipelines"
GITHUB = PIPELINES / "github" / "certify.yml"
GITLAB = PIPELINES / "gitlab" / "certify.gitlab-ci.yml"
MATRIX = ROOT / "ci" / "matrix.yaml"
READ = PIPELINES / "read_matrix"
SCHEMAS = {GITHUB: "vendor.github-workflows", GITLAB: "vendor.gitlab-ci", MATRIX: "vendor.gitlab-ci"}


def check_schema(file: Path, schema: str) -> tuple[int, str]:
    done = call(sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, file)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda file: file.name)
def test_the_file_is_what_its_schema_allows(file: Path) -> None:
    assert check_schema(file, SCHEMAS[file])[0] == 0, check_schema(file, SCHEMAS[file])[1]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [(GITHUB, "runs-on: ubuntu-24.04", "run-on: ubuntu-24.04"), (GITLAB, "script:", "scripts:")],
    ids=["github", "gitlab"],
)
def test_the_schema_sees_a_slip(tmp_path: Path, file: Path, old: str, new: str) -> None:
    slip = tmp_path / file.name
    slip.write_text(file.read_text().replace(old, new))
    assert check_schema(slip, SCHEMAS[file])[0] != 0


def test_every_yaml_file_of_ci_is_tidy() -> None:
    files = sorted([*(ROOT / "ci").rglob("*.yaml"), *(ROOT / "ci").rglob("*.yml")])
    assert len(files) >= 3
    rules = "{extends: default, rules: {line-length: {max: 140}, document-start: disable}}"
    done = call(sys.executable, "-m", "yamllint", "--strict", "-d", rules, *files)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", [GITHUB, GITLAB], ids=lambda file: file.name)
def test_every_script_that_a_pipeline_calls_is_there_and_can_run(file: Path) -> None:
    called = set(re.findall(r"\bci/[\w/]+", file.read_text()))
    assert "ci/pipelines/certify_node" in called
    for name in called - {"ci/matrix"}:
        path = ROOT / name
        assert path.exists(), name
        assert path.stat().st_mode & 0o111, name


def test_no_pipeline_forgives_a_certification() -> None:
    for file in (GITHUB, GITLAB):
        text = file.read_text()
        assert not re.search(r"continue-on-error|allow_failure|\|\| true", text), file
    assert yaml.safe_load(GITLAB.read_text())["certify"]["retry"]["exit_codes"] == [75]


def test_both_pipelines_go_by_one_matrix() -> None:
    want = yaml.safe_load(MATRIX.read_text())[".gpus"]["parallel"]["matrix"]
    done = call(READ, MATRIX)
    assert (done.returncode, json.loads(done.stdout)) == (0, want)
    assert yaml.safe_load(GITLAB.read_text())["certify"]["extends"] == ".gpus"
    assert "read_matrix ci/matrix.yaml" in GITHUB.read_text()


@pytest.mark.parametrize(
    "line",
    ["- {ARCH: sm_90}", "- {ARCH: 90, RUNNER: a, LEVEL: quick}", "- {ARCH: sm_90, RUNNER: a b, LEVEL: quick}",
     "- {ARCH: sm_90, RUNNER: a, LEVEL: best}", "- ARCH: sm_90", ""],
)  # fmt: skip
def test_a_matrix_that_is_none_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "matrix.yaml"
    file.write_text(f".gpus:\n  parallel:\n    matrix:\n      {line}\n")
    done = call(READ, file)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_dashboard_run_without_a_gpu_fails_and_says_so(tmp_path: Path, assay: Path) -> None:
    if shutil.which("ctest") is None:
        pytest.skip("no ctest on PATH")
    script = f"{PIPELINES}/cdash/certify.cmake,{assay.parents[1]},{tmp_path / 'work'},nosubmit"
    done = call("ctest", "-S", script)
    assert done.returncode != 0
    assert "not certified" in done.stdout + done.stderr
    assert list((tmp_path / "work" / "Testing").rglob("Test.xml"))
