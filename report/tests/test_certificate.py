from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay_report.certificate import Certificate, read_certificate
from assay_report.strict_json import InputError

Document = dict[str, Any]
Read = Callable[[Document], Certificate]


def test_a_run_folder_stands_for_its_certificate(tmp_path: Path, document: Document) -> None:
    (tmp_path / "certificate.json").write_text(json.dumps(document), encoding="utf-8")
    assert read_certificate(tmp_path).run_id == document["run_id"]


def test_facts_keep_their_family_and_key(read: Read, document: Document) -> None:
    fact = read(document).facts["dram_bw.read"]
    assert (fact.entry, fact.key, fact.units) == ("dram_bw", "read", "GB/s")


def test_a_boolean_is_no_number(read: Read, document: Document) -> None:
    document["facts"]["dram_bw.read"]["value"] = True
    assert read(document).number("dram_bw.read") is None


def _set(path: str, value: object) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        *parents, last = path.split("/")
        for name in parents:
            document = document[int(name) if isinstance(document, list) else name]
        if value is None:
            del document[last]
        else:
            document[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_set("kind", "dossier"), "kind 'dossier'"),
        (_set("schema", "2.0.0"), "schema 2.0.0"),
        (_set("schema", "1.7.0"), "schema 1.7.0"),
        (_set("statement/verdict", "great"), "verdict 'great'"),
        (_set("invariants/0/outcome", "great"), "outcome 'great'"),
        (_set("seal", None), "missing 'seal'"),
        (_set("facts", []), "is no certificate"),
        (_set("invariants/0/margin", None), "missing 'margin'"),
    ],
)
def test_what_is_no_certificate_is_refused_by_name(
    read: Read, document: Document, change: Callable[[Document], None], named: str
) -> None:
    change(document)
    with pytest.raises(InputError, match=r"certificate\.json") as caught:
        read(document)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b'{"a": 1, "a": 2}', "duplicate key 'a'"),
        (b'{"a": 1,\n "b"', ":2:"),
        (b"[1]", "a JSON object is expected"),
        (b'{"a": "\xae"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b"", ":1:"),
    ],
)
def test_what_is_no_json_is_refused_with_file_and_place(tmp_path: Path, text: bytes, named: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_certificate(path)
    assert "broken.json" in str(caught.value)
    assert named in str(caught.value)


def test_a_byte_order_mark_is_accepted(tmp_path: Path, document: Document) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(document).encode())
    assert read_certificate(path).run_id == document["run_id"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.json: No such file"):
        read_certificate(tmp_path / "nothing.json")
