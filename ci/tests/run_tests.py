"""Runs the tests of pipelines and manifests; 77 with the reason where Python lacks what they need."""

import importlib.util
import sys

NEEDED = ("check_jsonschema", "kubernetes_validate", "pytest", "yaml", "yamllint")

missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: Python lacks {', '.join(missing)}; see report/requirements.txt")
    sys.exit(77)
import pytest  # noqa: E402

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider"]))
