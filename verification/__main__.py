"""Carries out every subject, prints the comparisons, draws the figures."""

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
from verification.evidence import Evidence
from verification.subjects import SUBJECTS, carry_out

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "results" / "verification"
PUBLISHED = REPOSITORY / "published" / "verification"


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when every comparison holds."""
    parser = argparse.ArgumentParser(prog="python -m verification", description=__doc__)
    names = ", ".join(SUBJECTS)
    parser.add_argument(
        "subjects", nargs="*", metavar="subject", help=f"any of {names}; all where none is named"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer points and seeds: seconds instead of minutes"
    )
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where figures and tables go")
    parser.add_argument("--publish", action="store_true", help="also renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject is called {unknown[0]}; there are {names}")
    if chosen.publish and (chosen.quick or chosen.subjects):
        parser.error("the documentation shows everything, in full")
    evidence = []
    for name in chosen.subjects or SUBJECTS:
        begun = time.monotonic()
        print(f"{name} ...", end=" ", flush=True, file=sys.stderr)
        evidence.append(carry_out(name, quick=chosen.quick))
        print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
        save(evidence[-1], chosen.folder)
    (chosen.folder / "comparisons.csv").write_text(comparisons(evidence), encoding="utf-8")
    if chosen.publish:
        for item in evidence:
            save(item, PUBLISHED, ("svg",))
        (PUBLISHED / "comparisons.csv").write_text(comparisons(evidence), encoding="utf-8")
        (PUBLISHED / "summary.csv").write_text(summary(evidence), encoding="utf-8")
    for item in evidence:
        print(table(item))
    failed = sum(not check.holds for item in evidence for check in item.checks)
    total = sum(len(item.checks) for item in evidence)
    print(f"{total - failed} of {total} comparisons hold. Figures: {chosen.folder}")
    return 1 if failed else 0


def save(evidence: Evidence, folder: Path, kinds: Sequence[str] = ("svg", "png")) -> None:
    """Writes the figure, with where it comes from in its metadata."""
    folder.mkdir(parents=True, exist_ok=True)
    made = f"ackclock {version()}, commit {git_commit()}; command: {command_line()}"
    about = {"Title": evidence.title, "Description": f"verification {evidence.key}; {made}"}
    for kind in kinds:
        (folder / f"{evidence.key}.{kind}").write_bytes(image(evidence.figure, kind, about))


def percent(share: float) -> str:
    """Of a tolerance, for people; empty where there is none."""
    return f"{share:.0%}" if share == share else ""


def table(evidence: Evidence) -> str:
    """The comparisons in columns."""
    head = ("", "measured", "expected", "of the tolerance", "")
    rows = [
        (
            check.what,
            check.finding,
            check.expectation,
            percent(check.share),
            "holds" if check.holds else "FAILS",
        )
        for check in evidence.checks
    ]
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join(c.ljust(width) for c, width in zip(line, widths, strict=True)) for line in (head, *rows)
    ]
    return "\n".join([f"\n{evidence.title}", *(line.rstrip() for line in lines)]) + "\n"


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def comparisons(evidence: Sequence[Evidence]) -> str:
    """Every comparison as CSV."""
    head = ("subject", "comparison", "measured", "expected", "of the tolerance", "holds")
    body = [
        (
            item.key,
            check.what,
            check.finding,
            check.expectation,
            percent(check.share),
            str(check.holds).lower(),
        )
        for item in evidence
        for check in item.checks
    ]
    return _csv([head, *body])


def summary(evidence: Sequence[Evidence]) -> str:
    """A line per subject as CSV: comparisons, how many hold, and how near the nearest came to its limit."""
    head = ("subject", "comparisons", "hold", "nearest to its limit", "of the tolerance")
    body = []
    for item in evidence:
        bounded = [check for check in item.checks if check.share == check.share]
        nearest = max(bounded, key=lambda check: check.share, default=None)
        held = sum(check.holds for check in item.checks)
        name, share = (nearest.what, percent(nearest.share)) if nearest else ("exact", "")
        body.append((item.title, len(item.checks), held, name, share))
    return _csv([head, *body])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
