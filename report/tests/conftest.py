"""A small certificate that tests change at one place each."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay_report.certificate import Certificate, read_certificate

Document = dict[str, Any]
EXAMPLE = Path(__file__).resolve().parents[2] / "dossiers" / "schema" / "examples" / "certificate.json"


@pytest.fixture(scope="session")
def example() -> Document:
    """The worked example that the schema's own tests hold true."""
    document: Document = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    return document


@pytest.fixture
def document(example: Document) -> Document:
    return copy.deepcopy(example)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Document], Certificate]:
    """Writes a document and reads it back as a certificate."""

    def write_and_read(document: Document) -> Certificate:
        path = tmp_path / "certificate.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return read_certificate(path)

    return write_and_read
