"""Runs every check, prints the comparisons, draws the figures."""

from __future__ import annotations

import argparse
import csv
import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ackclock.provenance import command_line, git_commit, version
from ackclock.report.figures import image
from verification.checks import CHECKS, run_check
from verification.comparisons.kernel_windows import __main__ as kernel_windows
from verification.report import Report

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "results" / "verification"
PUBLISHED = REPOSITORY / "published" / "verification"
KERNEL_WINDOWS = "kernel-windows"
"""The one name here that is no check: a table of the machine's kernel."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when every comparison holds."""
    if arguments[:1] == [KERNEL_WINDOWS]:
        return kernel_windows.main(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m verification", description=__doc__)
    names = ", ".join(CHECKS)
    parser.add_argument("checks", nargs="*", metavar="check", help=f"any of {names}; all where none is named")
    parser.add_argument(
        "--quick", action="store_true", help="fewer points and seeds: seconds instead of minutes"
    )
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where figures and tables go")
    parser.add_argument("--publish", action="store_true", help="also renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.checks if name not in CHECKS]
    if unknown:
        parser.error(f"no check is called {unknown[0]}; there are {names}")
    if chosen.publish and chosen.quick:
        parser.error("the documentation shows checks in full")
    reports = []
    for name in chosen.checks or CHECKS:
        begun = time.monotonic()
        print(f"{name} ...", end=" ", flush=True, file=sys.stderr)
        reports.append(run_check(name, quick=chosen.quick))
        print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
        save(reports[-1], chosen.folder)
    (chosen.folder / "comparisons.csv").write_text(comparisons(reports), encoding="utf-8")
    if chosen.publish:
        for item in reports:
            save(item, PUBLISHED, ("json",))
        publish_tables(reports, PUBLISHED)
    for item in reports:
        print(table(item))
    failed = sum(not verdict.holds for item in reports for verdict in item.verdicts)
    total = sum(len(item.verdicts) for item in reports)
    print(f"{total - failed} of {total} comparisons hold. Figures: {chosen.folder}")
    return 1 if failed else 0


def publish_tables(reports: Sequence[Report], folder: Path) -> None:
    """Writes both tables; checks that were not run keep their rows, in the order of `CHECKS`."""
    old = {name: _rows(folder / f"{name}.csv") for name in ("comparisons", "summary")}
    new = {"comparisons": comparisons(reports), "summary": summary(reports)}
    keys = list(dict.fromkeys(row[0] for row in old["comparisons"][1:]))
    lines = dict(zip(keys, old["summary"][1:], strict=True))
    lines |= dict(zip((item.key for item in reports), _parsed(new["summary"])[1:], strict=True))
    mine = {item.key for item in reports}
    kept = [row for row in old["comparisons"][1:] if row[0] not in mine] + _parsed(new["comparisons"])[1:]
    head, *_ = _parsed(new["comparisons"])
    ordered = [row for key in CHECKS for row in kept if row[0] == key]
    (folder / "comparisons.csv").write_text(_csv([head, *ordered]), encoding="utf-8")
    head, *_ = _parsed(new["summary"])
    (folder / "summary.csv").write_text(
        _csv([head, *(lines[key] for key in CHECKS if key in lines)]), encoding="utf-8"
    )


def _rows(file: Path) -> list[list[str]]:
    """A table as it was published."""
    return _parsed(file.read_text(encoding="utf-8")) if file.exists() else [[]]


def _parsed(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def save(report: Report, folder: Path, kinds: Sequence[str] = ("svg", "png")) -> None:
    """Writes the figure, with its origin in the metadata."""
    folder.mkdir(parents=True, exist_ok=True)
    made = f"ackclock {version()}, commit {git_commit()}; command: {command_line()}"
    about = {"Title": report.title, "Description": f"verification {report.key}; {made}"}
    for kind in kinds:
        (folder / f"{report.key}.{kind}").write_bytes(image(report.figure, kind, about))


def percent(share: float) -> str:
    """The used share of a tolerance, as text; empty without a tolerance."""
    return f"{share:.0%}" if share == share else ""


def table(report: Report) -> str:
    """The comparisons in columns."""
    head = ("", "measured", "expected", "of the tolerance", "")
    rows = [
        (
            verdict.what,
            verdict.finding,
            verdict.expectation,
            percent(verdict.share),
            "holds" if verdict.holds else "FAILS",
        )
        for verdict in report.verdicts
    ]
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join(c.ljust(width) for c, width in zip(line, widths, strict=True)) for line in (head, *rows)
    ]
    return "\n".join([f"\n{report.title}", *(line.rstrip() for line in lines)]) + "\n"


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def comparisons(reports: Sequence[Report]) -> str:
    """Every comparison as CSV."""
    head = ("check", "comparison", "measured", "expected", "of the tolerance", "holds")
    body = [
        (
            item.key,
            verdict.what,
            verdict.finding,
            verdict.expectation,
            percent(verdict.share),
            str(verdict.holds).lower(),
        )
        for item in reports
        for verdict in item.verdicts
    ]
    return _csv([head, *body])


def summary(reports: Sequence[Report]) -> str:
    """A line per check as CSV: comparisons, those that hold, and the largest used share of a tolerance."""
    head = ("check", "comparisons", "hold", "nearest to its limit", "of the tolerance")
    body = []
    for item in reports:
        bounded = [verdict for verdict in item.verdicts if verdict.share == verdict.share]
        nearest = max(bounded, key=lambda verdict: verdict.share, default=None)
        held = sum(verdict.holds for verdict in item.verdicts)
        name, share = (nearest.what, percent(nearest.share)) if nearest else ("exact", "")
        body.append((item.title, len(item.verdicts), held, name, share))
    return _csv([head, *body])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
