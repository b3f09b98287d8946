"""The figures and the report that a folder of a sweep has: what nothing has changed is not drawn again."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ackclock import measures, provenance, report, sweeps
from ackclock.errors import InputError
from ackclock.results_folder import listed, read_file
from ackclock.sweeps.record import SweepRecord

__all__ = ["REPORT", "drawn_before", "drawn_from"]

REPORT = "report.html"

ROWS_AT_ONCE = 100_000

MARK = re.compile(rb'<meta name="drawn-from" content="([0-9a-f]{64})">')
"""The mark of a report whose figures are all there."""


def drawn_from(sweep: SweepRecord, formats: Sequence[str], width: float | str | None) -> str:
    """The hash of all that figures and report show, and of the code and the libraries that draw them."""
    digest = hashlib.sha256()
    for said in _said(sweep, formats, width):
        digest.update(f"{len(said)} {said}\n".encode())
    for rows in sweep.runs.iter_slices(ROWS_AT_ONCE):
        buffer = io.BytesIO()
        rows.write_ipc(buffer, compression="uncompressed")
        digest.update(buffer.getbuffer())
    return digest.hexdigest()


def _said(sweep: SweepRecord, formats: Sequence[str], width: float | str | None) -> Iterator[str]:
    plan = sweep.plan
    yield provenance.command_line()
    yield provenance.described_version(provenance.git_commit())
    yield repr((list(formats), width, sweep.interrupted, sweep.measured))
    yield repr((plan.name, plan.title, plan.description, plan.bottleneck, plan.responses, plan.mice))
    yield repr((plan.axes, plan.titles, list(plan.algorithms), plan.seeds, plan.design, plan.ranges))
    for point in plan.points:
        yield repr((point.index, dict(point.values), provenance.scenario_hash(point.scenario)))
    yield repr(provenance.host()["libraries"])
    for package in (measures, report, sweeps):
        for file in sorted(Path(str(package.__file__)).parent.rglob("*")):
            if file.suffix in (".py", ".j2"):
                yield file.read_text(encoding="utf-8")


def drawn_before(folder: Path, key: str) -> dict[str, bytes]:
    """Report and figures of a folder if they show what has this hash, and none is changed or missing."""
    names = [REPORT, *sorted(name for name in listed(folder) if name.startswith("figures/"))]
    try:
        found = {name: read_file(folder, name) for name in names}
    except InputError:
        return {}
    mark = MARK.search(found[REPORT])
    return found if mark is not None and mark[1].decode() == key else {}
