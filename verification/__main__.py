"""`python -m verification`: carries out every subject, prints the comparisons, draws the figures."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ackclock.figures import image
from ackclock.provenance import command_line, version
from verification.evidence import Evidence
from verification.subjects import SUBJECTS, carry_out

RESULTS = Path(__file__).resolve().parents[1] / "results" / "verification"


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when every comparison holds."""
    parser = argparse.ArgumentParser(prog="python -m verification", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="subject", help=f"any of {', '.join(SUBJECTS)}; default: all"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer points and seeds: a minute instead of ten"
    )
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures go")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject is called {unknown[0]}; there are {', '.join(SUBJECTS)}")
    evidence = []
    for name in chosen.subjects or SUBJECTS:
        begun = time.monotonic()
        print(f"{name} ...", end=" ", flush=True, file=sys.stderr)
        evidence.append(carry_out(name, quick=chosen.quick))
        print(f"{time.monotonic() - begun:.0f} s", file=sys.stderr)
        save(evidence[-1], chosen.folder)
    for item in evidence:
        print(table(item))
    failed = sum(not check.holds for item in evidence for check in item.checks)
    total = sum(len(item.checks) for item in evidence)
    print(f"{total - failed} of {total} comparisons hold. Figures: {chosen.folder}")
    return 1 if failed else 0


def save(evidence: Evidence, folder: Path) -> None:
    """Writes the figure as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    made = f"ackclock {version()}; command: {command_line()}"
    about = {"Title": evidence.title, "Description": f"verification {evidence.key}; {made}"}
    for kind in ("svg", "png"):
        (folder / f"{evidence.key}.{kind}").write_bytes(image(evidence.figure, kind, about))


def table(evidence: Evidence) -> str:
    """The comparisons in columns."""
    head = ("", "measured", "expected", "of the tolerance", "")
    rows = [
        (
            check.what,
            check.measured,
            check.expected,
            f"{check.share:.0%}" if check.share == check.share else "",
            "holds" if check.holds else "FAILS",
        )
        for check in evidence.checks
    ]
    widths = [max(len(line[column]) for line in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in (head, *rows)
    ]
    return "\n".join([f"\n{evidence.title}", *(line.rstrip() for line in lines)]) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
