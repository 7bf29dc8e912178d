"""assay report: a certificate for people."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from .certificate import Certificate, read_certificate
from .drift_rows import read_comparisons
from .fleet import Fleet, read_fleet
from .kernels import KernelList, read_kernels
from .strict_json import InputError

_USAGE_ERROR = 2
_EXAMPLE = """Example:
  assay report out/GPU-.../RUN --html report.html
  assay judge dossier.json --json > certificate.json; assay report certificate.json --markdown summary.md
  assay report --fleet fleet.json --html fleet.html
Exit codes: 0 written, 2 usage or I/O. The verdict itself does not change the exit code."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"assay report: {message}", file=sys.stderr)
        raise SystemExit(_USAGE_ERROR)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="assay report",
        description="Renders a certificate as one HTML file, Markdown or text.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "certificate",
        type=Path,
        metavar="CERTIFICATE",
        nargs="?",
        help="certificate.json or its run folder",
    )
    parser.add_argument(
        "--fleet", type=Path, metavar="FILE", help="instead: what `assay fleet` wrote, HTML and Markdown"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="one self-contained page")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="for a pull request")
    parser.add_argument(
        "--text", type=Path, metavar="FILE", help="for a log; without any of the three: on stdout"
    )
    parser.add_argument("--drift", type=Path, metavar="FILE", help="`assay drift --json`, for the heat map")
    parser.add_argument(
        "--kernels",
        type=Path,
        metavar="FILE",
        help="`assay bench --json`, or a list of kernels, to mark in the roofline",
    )
    parser.add_argument("--json", action="store_true", help="what was written, as JSON on stdout")
    return parser


def write_file(path: Path, text: str) -> None:
    """Write by temp file and rename, so that a reader never sees half; raises InputError."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp is for secrets; a report is for everybody whom the umask allows.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise InputError(f"{path}: {error.strerror}") from error


def _lacking(error: ModuleNotFoundError) -> InputError:
    needed = Path(__file__).resolve().parents[1] / "requirements.txt"
    install = f"{sys.executable} -m pip install -r {needed}"
    return InputError(f"Python lacks {error.name}; install with: {install}")


def _renderers(options: argparse.Namespace, certificate: Certificate) -> dict[str, Callable[[], str]]:
    """What each option renders; imported here, so that --help works where the packages are missing."""
    try:
        from .markdown import render_markdown, render_text
        from .page import Extras, render_html
    except ModuleNotFoundError as error:
        raise _lacking(error) from error
    marked = read_kernels(options.kernels) if options.kernels else KernelList(())
    extras = Extras(
        kernels=marked.kernels,
        left_out=marked.left_out,
        comparisons=read_comparisons(options.drift) if options.drift else (),
    )
    return {
        "html": lambda: render_html(certificate, extras),
        "markdown": lambda: render_markdown(certificate),
        "text": lambda: render_text(certificate),
    }


def _fleet_renderers(fleet: Fleet) -> dict[str, Callable[[], str]]:
    try:
        from .fleet_page import render_fleet_html, render_fleet_markdown
    except ModuleNotFoundError as error:
        raise _lacking(error) from error
    return {"html": lambda: render_fleet_html(fleet), "markdown": lambda: render_fleet_markdown(fleet)}


def _check_combination(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.fleet is None and options.certificate is None:
        parser.error("which CERTIFICATE? a certificate.json, its run folder, or --fleet FILE")
    if options.fleet is None:
        return
    for name in ("certificate", "text", "drift", "kernels"):
        if getattr(options, name) is not None:
            parser.error(f"--fleet goes with --html and --markdown, not with {name}")
    if options.html is None and options.markdown is None:
        parser.error("--fleet needs --html FILE or --markdown FILE")


def run(arguments: Sequence[str]) -> int:
    """The verb; raises InputError."""
    parser = _parser()
    options = parser.parse_args(arguments)
    _check_combination(parser, options)
    document: Certificate | Fleet
    if options.fleet is not None:
        document = read_fleet(options.fleet)
        renderers = _fleet_renderers(document)
    else:
        document = read_certificate(options.certificate)
        renderers = _renderers(options, document)
    targets = {name: target for name in renderers if (target := getattr(options, name)) is not None}
    for name, target in targets.items():
        write_file(target, renderers[name]())
    written = [str(target) for target in targets.values()]
    if options.json:
        print(json.dumps({"verdict": document.verdict, "run_id": document.run_id, "written": written}))
    elif not written:
        sys.stdout.write(renderers["text"]())
    else:
        print("\n".join(f"assay report: wrote {name}" for name in written), file=sys.stderr)
    return 0


def main() -> int:
    """Exit code of the process: only here an error becomes one."""
    try:
        return run(sys.argv[1:])
    except InputError as error:
        print(f"assay report: {error}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _USAGE_ERROR


if __name__ == "__main__":
    sys.exit(main())
