"""Is the manifest what Kubernetes takes, and does it treat each exit code as certify_node means it?"""

from __future__ import annotations

import copy
from typing import Any

import kubernetes_validate
import pytest
import yaml

from conftest import ROOT

FOLDER = ROOT / "ci" / "fleet" / "kubernetes"
VERSIONS = ("1.33", kubernetes_validate.latest_version())
Manifest = dict[str, Any]


@pytest.fixture
def job() -> Manifest:
    document: Manifest = yaml.safe_load((FOLDER / "certify.yaml").read_text())
    return document


@pytest.mark.parametrize("version", VERSIONS)
def test_the_manifest_is_what_the_schema_allows(job: Manifest, version: str) -> None:
    kubernetes_validate.validate(job, version, strict=True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "completionsMode"), "Indexed"),
        (("spec", "parallelism"), "four"),
        (("spec", "podFailurePolicy", "rules"), [{"onExitCodes": {"values": [1]}}]),
        (("spec", "template", "spec", "containers"), [{"image": "no name"}]),
    ],
)
def test_the_schema_sees_a_slip(job: Manifest, path: tuple[str, ...], value: object) -> None:
    bad = copy.deepcopy(job)
    place = bad
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(bad, VERSIONS[0], strict=True)


def test_every_exit_code_that_is_no_pass_has_its_rule(job: Manifest) -> None:
    rules = job["spec"]["podFailurePolicy"]["rules"]
    actions = {
        code: rule["action"]
        for rule in rules
        if "onExitCodes" in rule
        for code in rule["onExitCodes"]["values"]
    }
    assert actions == {1: "FailIndex", 2: "FailJob", 75: "Count", 77: "FailJob"}
    names = {rule["onExitCodes"]["containerName"] for rule in rules if "onExitCodes" in rule}
    assert names == {container["name"] for container in job["spec"]["template"]["spec"]["containers"]}


def test_what_those_rules_need_is_set(job: Manifest) -> None:
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert spec["completionMode"] == "Indexed"
    assert "backoffLimitPerIndex" in spec
    assert "activeDeadlineSeconds" in spec
    assert pod["restartPolicy"] == "Never"
    container = pod["containers"][0]
    gpus = container["args"][container["args"].index("--gpus") + 1]
    assert gpus == str(container["resources"]["limits"]["nvidia.com/gpu"])


def test_the_image_starts_what_the_manifest_gives_arguments_to() -> None:
    recipe = (FOLDER / "Dockerfile").read_text()
    assert 'ENTRYPOINT ["/opt/assay/bin/certify_node", "/opt/assay"]' in recipe
    assert "USER 65532" in recipe
