"""A fleet's judgement as the renderers see it: read once, checked, nothing added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .certificate import OUTCOMES
from .strict_json import InputError, read_object

_MAJOR, _MINOR = 1, 0
_ORDER = {"fail": 0, "no_evidence": 1, "inconclusive": 2, "waived": 3, "pass": 4}


@dataclass(frozen=True)
class Finding:
    """One fact of one GPU that is worse than its cohort's; `effect` is relative."""

    path: str
    units: str
    value: float | None
    usual: float | None
    effect: float | None
    z: float | None
    p: float | None
    layer: str
    drift: bool
    host_peers: bool
    before: float | None
    confirmed: bool


@dataclass(frozen=True)
class Gpu:
    """One device with its verdict; findings with the largest loss first."""

    host: str
    rack: str | None
    uuid: str
    run_id: str
    runs: int
    cohort: int | None
    outcome: str
    layer: str | None
    reason: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class FactSpread:
    """One fact over a cohort; `bins` counts devices in steps of half a `scale` around the median."""

    path: str
    units: str
    devices: int
    median: float | None
    scale: float | None
    floor: float | None
    reference: float | None
    shift: float | None
    shifted: bool
    bins: tuple[int, ...]


@dataclass(frozen=True)
class Cohort:
    """Devices that may be compared: what they have in common, and their facts."""

    product: str
    vbios: str
    driver: str
    power_limit: str
    ecc: str
    mig: str
    topology: str
    level: str
    devices: int
    judged: bool
    reference_run: str | None
    facts: tuple[FactSpread, ...]


@dataclass(frozen=True)
class Place:
    """A host or a rack with what became of its GPUs."""

    name: str
    rack: str | None
    outcomes: Counter[str]
    missing: bool

    @property
    def outcome(self) -> str:
        """The worst of its GPUs; what is missing is no evidence."""
        if self.missing or not self.outcomes:
            return "no_evidence"
        return min(self.outcomes, key=lambda outcome: _ORDER[outcome])


@dataclass(frozen=True)
class Fleet:
    """The document; rows that only one table shows stay mappings."""

    run_id: str
    suite: Mapping[str, Any]
    verdict: str
    headline: str
    rehearsal: bool
    rules: Mapping[str, Any]
    counts: Mapping[str, Any]
    problems: tuple[Mapping[str, Any], ...]
    missing: tuple[Mapping[str, Any], ...]
    groups: tuple[Mapping[str, Any], ...]
    cohorts: tuple[Cohort, ...]
    gpus: tuple[Gpu, ...]

    @property
    def outliers(self) -> list[Gpu]:
        """GPUs that do not pass, worst first, then the largest loss."""
        rows = [gpu for gpu in self.gpus if gpu.outcome != "pass"]

        def key(gpu: Gpu) -> tuple[int, float, str, str]:
            loss = abs(gpu.findings[0].effect or 0.0) if gpu.findings else 0.0
            return (_ORDER[gpu.outcome], -loss, gpu.host, gpu.uuid)

        return sorted(rows, key=key)

    def hosts(self) -> list[Place]:
        """Every host, also those that are missing, worst first."""
        missing = {item["host"]: item["rack"] for item in self.missing}
        outcomes: dict[str, Counter[str]] = {name: Counter() for name in missing}
        racks: dict[str, str | None] = dict(missing)
        for gpu in self.gpus:
            outcomes.setdefault(gpu.host, Counter())[gpu.outcome] += 1
            racks[gpu.host] = gpu.rack
        return _sorted([Place(name, racks[name], count, name in missing) for name, count in outcomes.items()])

    def racks(self) -> list[Place]:
        """Every rack that the list of hosts names, worst first."""
        outcomes: dict[str, Counter[str]] = {}
        for gpu in self.gpus:
            if gpu.rack:
                outcomes.setdefault(gpu.rack, Counter())[gpu.outcome] += 1
        short = {item["rack"] for item in self.missing if item["rack"]}
        for name in short:
            outcomes.setdefault(name, Counter())
        return _sorted([Place(name, None, count, name in short) for name, count in outcomes.items()])


def _sorted(places: list[Place]) -> list[Place]:
    return sorted(places, key=lambda place: (_ORDER[place.outcome], place.name))


def read_fleet(path: Path) -> Fleet:
    """Read what `assay fleet --json` wrote; raises InputError."""
    document = read_object(path)
    try:
        _check(document)
        return _fleet(document)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        detail = f"missing {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path}: is no fleet document: {detail}") from error


def _check(document: Mapping[str, Any]) -> None:
    if document["kind"] != "fleet":
        raise ValueError(f"kind {document['kind']!r}; want what `assay fleet --json` writes")
    parts = str(document["schema"]).split(".")
    if len(parts) != 3 or int(parts[0]) != _MAJOR or int(parts[1]) > _MINOR:
        raise ValueError(f"schema {document['schema']}; this program reads {_MAJOR}.{_MINOR}")


def _fleet(document: Mapping[str, Any]) -> Fleet:
    return Fleet(
        run_id=document["run_id"],
        suite=dict(document["suite"]),
        verdict=_outcome(document["verdict"]),
        headline=document["headline"],
        rehearsal=document["rehearsal"],
        rules=dict(document["rules"]),
        counts=dict(document["counts"]),
        problems=tuple(document["problems"]),
        missing=tuple(document["missing"]),
        groups=tuple(document["groups"]),
        cohorts=tuple(_cohort(item) for item in document["cohorts"]),
        gpus=tuple(_gpu(item) for item in document["gpus"]),
    )


def _outcome(text: str) -> str:
    if text not in OUTCOMES or text not in _ORDER:
        raise ValueError(f"outcome {text!r}; allowed are {', '.join(_ORDER)}")
    return text


def _cohort(item: Mapping[str, Any]) -> Cohort:
    facts = tuple(FactSpread(**{**fact, "bins": tuple(fact["bins"])}) for fact in item["facts"])
    return Cohort(**{**item, "facts": facts})


def _gpu(item: Mapping[str, Any]) -> Gpu:
    names = ("host", "rack", "uuid", "run_id", "runs", "cohort")
    return Gpu(
        **{name: item[name] for name in names},
        outcome=_outcome(item["outcome"]),
        layer=item.get("layer"),
        reason=item.get("reason", ""),
        findings=tuple(Finding(**finding) for finding in item.get("findings", ())),
    )
