"""What pipelines and schedulers call: is it ever green for nothing?"""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import NODE, ROOT, call, fake_kit

Dossiers = Callable[..., Path]
SUMMARIZE = ROOT / "ci" / "pipelines" / "summarize"
# A kit that finds one GPU and leaves CERTIFICATE, ending with CODE.
ONE_GPU = """case "$1" in
info) echo '  "uuid": "GPU-1"' ;;
certify) while [ "$1" != --out ]; do shift; done; mkdir -p "$2/GPU-1/run-1"; {certificate}; exit {code} ;;
esac
"""
FAILED = (
    'printf \'%s\\n\' \'      "id": "dram.peak",\' \'      "outcome": "fail",\''
    ' >"$2/GPU-1/run-1/certificate.json"'
)


def test_a_machine_without_a_gpu_ends_with_77_and_leaves_nothing(tmp_path: Path, assay: Path) -> None:
    done = call(NODE, assay.parents[1], tmp_path / "out", CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 77, done.stderr
    assert done.stdout.startswith("reason: no GPU on ")
    assert not (tmp_path / "out").exists()
    assert "no pass" in call(SUMMARIZE, tmp_path / "out").stdout


def test_a_run_that_was_asked_for_gpus_and_finds_fewer_fails(
    tmp_path: Path, kit: Path, dossiers: Dossiers
) -> None:
    out = tmp_path / "out"
    folder = dossiers("n1", 3)
    done = call(NODE, kit, out, "--host", "n1", "--replay", folder, "--gpus", "4")
    assert (done.returncode, done.stdout.strip().splitlines()[-1]) == (1, "reason: assay: 3 of 4 GPUs on n1")
    assert call(NODE, kit, out, "--host", "n1", "--replay", folder, "--gpus", "3").returncode == 0
    assert call(NODE, kit, out, "--host", "n2", "--replay", folder, "--gpus", "3").returncode == 1
    assert call(NODE, kit, out, "--host", "n2", "--replay", folder).returncode == 77


def test_runs_lie_where_the_fleet_looks_for_them_and_a_second_time_changes_nothing(
    tmp_path: Path, kit: Path, assay: Path, dossiers: Dossiers
) -> None:
    out = tmp_path / "out"
    folder = dossiers("n1", 2)
    for _ in range(2):
        assert call(NODE, kit, out, "--host", "n1", "--replay", folder).returncode == 0
    names = sorted(str(path.relative_to(out)) for path in out.rglob("certificate.json"))
    assert names == [f"n1/GPU-n1-{i}/run-n1-{i}/certificate.json" for i in range(2)]
    assert not [path for path in out.iterdir() if "partial" in path.name]
    done = call(assay, "fleet", out, "--rehearse")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_failed_invariant_is_the_reason(tmp_path: Path, kit: Path, dossiers: Dossiers) -> None:
    done = call(NODE, kit, tmp_path / "out", "--host", "n1", "--replay", dossiers("n1", 2, bad=1))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "reason: assay: dram.peak failed on GPU-n1-0"
    table = call(SUMMARIZE, tmp_path / "out").stdout
    assert table.count("\n") == 4
    assert "dram.peak" in table
    assert "replay: certifies no machine" in table


@pytest.mark.parametrize(
    ("code", "certificate", "want", "reason"),
    [
        (0, ":", 2, "assay certify left no certificate"),
        (1, ":", 2, "assay certify left no certificate"),
        (2, FAILED, 2, "assay certify left no certificate"),
        (0, FAILED, 0, ""),
        (1, FAILED, 1, "assay: dram.peak failed on GPU-1"),
        (75, FAILED, 75, "assay: inconclusive on GPU-1"),
        (77, ":", 1, "assay certify ended with 77"),
        (139, ":", 1, "assay certify ended with 139"),
    ],
)
def test_every_end_of_a_certification_has_its_code(
    tmp_path: Path, code: int, certificate: str, want: int, reason: str
) -> None:
    kit = fake_kit(tmp_path / "kit", ONE_GPU.format(code=code, certificate=certificate))
    done = call(NODE, kit, tmp_path / "out", "--host", "n1")
    assert done.returncode == want, done.stderr
    assert done.stdout.strip() == (f"reason: {reason}" if reason else "")


def test_a_packed_kit_is_unpacked_on_the_node_and_nothing_stays_behind(tmp_path: Path) -> None:
    fake_kit(tmp_path / "assay-1", ONE_GPU.format(code=0, certificate=FAILED))
    archive = tmp_path / "kit.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(tmp_path / "assay-1", "assay-1")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = call(NODE, archive, tmp_path / "out", "--host", "n1", TMPDIR=str(scratch))
    assert done.returncode == 0, done.stderr
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [[], ["kit"], ["kit", "out", "more"], ["no-such-kit", "out"], ["kit", "out", "--level", "best"],
     ["kit", "out", "--gpus", "0"], ["kit", "out", "--host", "../n1"], ["kit", "out", "--fast"],
     ["kit", "out", "--level"]],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str]) -> None:
    fake_kit(tmp_path / "kit", "exit 0\n")
    done = call("env", "-C", tmp_path, NODE, *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "said",
    [
        "bin/assay: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by bin/assay)",
        "bin/assay: cannot execute binary file: Exec format error",
    ],
)
@pytest.mark.parametrize("gpus", [[], ["--gpus", "8"]])
def test_a_kit_that_does_not_run_here_is_no_gpus_fault(tmp_path: Path, said: str, gpus: list[str]) -> None:
    kit = fake_kit(tmp_path / "kit", f'echo "{said.replace("`", "")}" >&2\nexit 1\n')
    done = call(NODE, kit, tmp_path / "out", "--host", "n1", *gpus)
    assert done.returncode == 2, done.stdout
    assert done.stderr.splitlines() == [f"certify_node: {kit}: does not run on this node: {said.replace('`', '')}"]
    assert not (tmp_path / "out").exists()


def test_gpus_that_cannot_be_listed_are_not_no_gpus(tmp_path: Path) -> None:
    kit = fake_kit(tmp_path / "kit", 'case "$1" in info) echo "assay info: broken" >&2; exit 2 ;; esac\n')
    done = call(NODE, kit, tmp_path / "out", "--host", "n1")
    assert done.returncode == 2
    assert "assay info ended with 2: assay info: broken" in done.stderr


def test_a_node_without_space_is_no_gpus_fault(tmp_path: Path) -> None:
    kit = fake_kit(tmp_path / "kit", ONE_GPU.format(code=1, certificate=":"))
    done = call(NODE, kit, tmp_path / "out", "--host", "n1", TMPDIR="/proc")
    assert done.returncode == 2
    assert done.stderr == "certify_node: no scratch folder in /proc\n"


def test_a_share_that_cannot_be_written_is_an_error_and_leaves_no_half_run(tmp_path: Path) -> None:
    kit = fake_kit(tmp_path / "kit", ONE_GPU.format(code=0, certificate=FAILED))
    (tmp_path / "out").write_text("a file, no folder")
    done = call(NODE, kit, tmp_path / "out", "--host", "n1")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_markup_in_names_stays_text(tmp_path: Path) -> None:
    run = tmp_path / "n1" / "GPU-1" / "run"
    run.mkdir(parents=True)
    (run / "certificate.json").write_text('  "kind": "certificate",\n    "name": "<b>|`x`",\n')
    row = call(SUMMARIZE, tmp_path).stdout.splitlines()[2]
    assert "<b>" not in row
    assert row.replace("\\|", "").count("|") == 8
