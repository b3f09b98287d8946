"""A competition of classes in Python over paths that nobody knows before: a board as one static page.

A seed is drawn, and its checksum published beforehand. Then every file of a folder, and Reno and CUBIC, run
on the paths that the seed draws, and the board has the seed on it: everybody can repeat it.

The score of a path is the share of the link that the flow uses, times the least round trip of the path
divided by the flow's mean round trip: 1 is a full link without a queue.
"""

from __future__ import annotations

import hashlib
import html
import math
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from ackclock import provenance
from ackclock._native import Scenario
from ackclock.atomic import write_file
from ackclock.errors import InputError, OutputError, OverBudgetError
from ackclock.evaluation import class_files
from ackclock.report.text import counted
from ackclock.runs.crew import CALL_S
from ackclock.runs.parallel import Progress, ProgressCallback, run_parallel
from ackclock.runs.result import Result
from ackclock.runs.simulate import simulate
from ackclock.scenarios.algorithms import one_algorithm, with_algorithm
from ackclock.scenarios.load import load_scenario
from ackclock.scenarios.own_code import raised_in

__all__ = [
    "Contender",
    "DrawnPath",
    "Pace",
    "board",
    "check_place",
    "checksum",
    "contenders",
    "draw",
    "paths_of",
    "run_all",
    "write",
]

Tell = Callable[[float, float, str, float], None]
"""Called with the paths done and in total, what runs, and the seconds that say nothing of the time left."""

REFERENCES = ("rack+reno", "cubic")
SEED_BITS = 62
"""No seed of this length is found by trying, and the scenario's seed plus the paths stay below 2^63."""


def draw() -> int:
    """A seed that nobody knows."""
    return secrets.randbits(SEED_BITS)


def checksum(seed: int) -> str:
    """The text to publish before: it binds to the seed, and does not tell it."""
    return hashlib.sha256(f"ackclock competition {seed}".encode()).hexdigest()


@dataclass(frozen=True)
class DrawnPath:
    """One drawn path."""

    seed: int
    rate_bit_per_s: float
    least_rtt_s: float


@dataclass
class Contender:
    """A class of a student, or a reference, with its score on each path; why it has none, if it failed."""

    name: str
    author: str
    algorithm: str
    scores: list[float]
    failed: str = ""
    ran: int = 0
    """The paths on which it ran to the end."""

    @property
    def score(self) -> float:
        """The mean over the paths; a class that fails has nothing on that path and on those after it."""
        return statistics.fmean(self.scores) if self.scores else 0.0


def contenders(folder: Path) -> list[Contender]:
    """The references, and each file of the folder; one that cannot take part has failed from the start.

    Raises InputError for a folder without a file.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder}: is a file; expected the folder in which it is"
            if folder.exists()
            else f"{folder}: there is no such folder"
        )
    found = [Contender(name, "reference", name, []) for name in REFERENCES]
    files = sorted(folder.glob("*.py"))
    if not files:
        raise InputError(f"{folder}: has no file in Python")
    return found + [_contender(file) for file in files]


def _contender(file: Path) -> Contender:
    try:
        entry = class_files.read(file)
    except InputError as error:
        return Contender(file.stem, "", "", [], str(error))
    return Contender(entry.name, entry.author, f"{entry.file}:{entry.cls}", [])


def paths_of(scenario: str, seed: int, number: int) -> list[int]:
    """The seeds of the paths. Raises InputError for a scenario that draws nothing."""
    if number < 1:
        raise InputError(f"--paths: found {number}; it must be at least 1")
    if "[draw" not in load_scenario(scenario).to_toml():
        raise InputError(f"{scenario}: has no table [draw], so that every seed has the same path")
    return [seed + index for index in range(number)]


def run_all(
    scenario: str, seeds: Sequence[int], field: Sequence[Contender], tell: Tell | None = None
) -> list[DrawnPath]:
    """Runs every contender on every path, and gives the paths and scores: of those finished before Ctrl-C."""
    paths: list[DrawnPath] = []
    pace = Pace(len(seeds), tell)
    try:
        for number, seed in enumerate(seeds, start=1):
            drawn = load_scenario(scenario, {"seed": str(seed)})
            racing = [each for each in field if not each.failed]
            outcomes: dict[int, Result | str] = {}
            filling = 0.0  # without a reference there is no bound
            for place, each in enumerate(racing):
                pace.begin(number - 1 + place / len(racing), f"{each.name} on path {number}")
                most = None if each.algorithm in REFERENCES else math.ceil(TIMES_FULL * filling) or None
                outcome = outcomes[id(each)] = _outcome(drawn, each, most, pace.tell)
                if isinstance(outcome, Result) and each.algorithm in REFERENCES:
                    filling = max(filling, _filling(outcome))
                pace.end(failed=isinstance(outcome, str))
            paths.append(_path(seed, number, field, outcomes))
    except KeyboardInterrupt:
        if not paths:
            raise
    return paths


def _path(seed: int, number: int, field: Sequence[Contender], outcomes: dict[int, Result | str]) -> DrawnPath:
    """The path, and on it the scores of all contenders, or why they have failed."""
    results = {who: outcome for who, outcome in outcomes.items() if isinstance(outcome, Result)}
    rate = next(float(result.tables["links"]["rate_bit_per_s"][0]) for result in results.values())
    flows = {who: result.flows.row(0, named=True) for who, result in results.items()}
    # The references come first: their SYNs meet an empty queue.
    least = min(row["min_rtt_s"] for row in flows.values())
    for each in field:
        row, outcome = flows.get(id(each)), outcomes.get(id(each))
        each.scores.append(_score(row, rate, least) if row else 0.0)
        each.ran += row is not None
        if isinstance(outcome, str):
            each.failed = f"on path {number}: {outcome}"
    return DrawnPath(seed, rate, least)


TIMES_FULL = 25
"""The events that a class may cause on a path, as a multiple of those that fill the link.

A class that sends half as much again as the link carries causes up to thirteen times of them, since the
sender looks through thousands of losses.
"""


def _filling(result: Result) -> float:
    """The events that fill the link of a path, by the result of a reference that uses a share of it."""
    share = float(result.tables["links"]["utilisation"][0])
    return result.events / max(share, 1 / TIMES_FULL)


SLOW_S = 5.0
"""The time beyond the longest run after which a run is said to be slow."""


class Pace:
    """The progress of a competition. The time of a slow class says nothing of the time left."""

    def __init__(self, total: int, tell: Tell | None) -> None:
        self._total, self._tell = total, tell
        self._longest_s = self._lost_s = 0.0

    def begin(self, done: float, name: str) -> None:
        """A run begins after so many paths."""
        self._done, self._name, self._since = done, name, time.monotonic()
        self.tell()

    def tell(self, ran: float = 0.0, of: float = 1.0) -> None:
        """Tells of the run that goes on, and the part that is done; how long a slow one takes is unknown."""
        if self._tell is not None:
            since_s = time.monotonic() - self._since
            waited_s = max(0.0, since_s - self._longest_s)
            said, paused_s = self._name, self._lost_s + waited_s
            if waited_s > SLOW_S:
                said += f" for {since_s:.0f} s, {ran / of:.0%} of its run"
                said += f"; a call that does not return ends after {CALL_S:.0f} s"
                paused_s = math.nan
            self._tell(self._done, self._total, said, paused_s)

    def end(self, *, failed: bool) -> None:
        """A run ends."""
        took_s = time.monotonic() - self._since
        if failed:
            self._lost_s += took_s
        else:
            self._longest_s = max(self._longest_s, took_s)


def _outcome(
    drawn: Scenario, contender: Contender, most_events: int | None, progress: Progress
) -> Result | str:
    """The result of a run, or in words why there is none."""
    found: list[Result] = []

    def work(scenario: Scenario, report: ProgressCallback) -> Result:
        return simulate(scenario, contender.name, factories, report, is_alone=True, most_events=most_events)

    try:
        label, made = one_algorithm(contender.algorithm)
        scenario, factories = with_algorithm(drawn, made, label=label)
        # In a thread, which ends where a method does not return.
        if run_parallel([(scenario.duration_s, scenario)], work, found.append, 1, progress):
            raise KeyboardInterrupt
    except OverBudgetError as error:
        return (
            f"{error}, after {TIMES_FULL} times the events that fill the link: is there a window without end?"
        )
    except Exception as error:  # noqa: BLE001 - a class of somebody else may raise anything
        # The innermost line of the class's file.
        lines = raised_in(error).splitlines()
        return f"{type(error).__name__}: {error}" + (f" ({lines[-1].strip()})" if lines else "")
    return found[0]


def _score(flow: dict[str, float], rate: float, least: float) -> float:
    mean = flow["mean_rtt_s"]
    return flow["goodput_bit_per_s"] / rate * least / mean if mean > 0 else 0.0


PAGE = Path(__file__).with_suffix(".html")
"""The page of a board, with a `$name` for each value."""


def board(
    title: str, seed: int, scenario: str, field: Sequence[Contender], paths: Sequence[DrawnPath], asked: int
) -> str:
    """The page: the board, then each path with the scores of all. `asked` paths were to be run."""
    ranked = sorted(field, key=lambda each: (-each.score, each.name))
    rows = [
        (place, each.name, each.author, f"{each.score:.3f}", f"{min(each.scores):.3f}")
        for place, each in enumerate(ranked, start=1)
    ]
    by_path = [
        (
            number,
            f"{path.rate_bit_per_s / 1e6:.1f} Mbit/s",
            f"{path.least_rtt_s * 1e3:.0f} ms",
            *(f"{each.scores[number - 1]:.3f}" if number <= each.ran else "–" for each in ranked),
        )
        for number, path in enumerate(paths, start=1)
    ]
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        number=counted(len(paths), "path"),
        interrupted=f" It was interrupted: {asked} paths were to be run." if len(paths) < asked else "",
        rows="\n".join(_row(row) + _reason(each) for row, each in zip(rows, ranked, strict=True)),
        seed=seed,
        checksum=checksum(seed),
        scenario=html.escape(scenario),
        version=provenance.version(),
        heads="".join(f'<th scope="col">{html.escape(each.name)}</th>' for each in ranked),
        by_path="\n".join(map(_row, by_path)),
    )


def _row(row: Iterable[object]) -> str:
    return f"<tr>{''.join(f'<td>{html.escape(str(value))}</td>' for value in row)}</tr>"


def _reason(contender: Contender) -> str:
    """A line below the row of a class that failed, which says why."""
    said = html.escape(contender.failed)
    return f'<tr class="failed"><td></td><td colspan="4">{said}</td></tr>' if said else ""


MARK = '<meta name="generator" content="ackclock competition">'
"""The mark of a board, in its head."""


def check_place(file: Path) -> None:
    """Makes the folder of a board. Raises InputError or OutputError if the board cannot be written there."""
    try:
        if file.is_dir():
            raise InputError(f"{file}: is a folder; name a file with --output")
        if file.exists() and MARK not in file.read_text(encoding="utf-8", errors="replace"):
            raise InputError(f"{file}: is there and is no board; name another with --output")
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=file.parent):
            pass
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror}") from None


def write(page: str, file: Path) -> None:
    """Writes a board where `check_place` has found room. Raises OutputError."""
    try:
        write_file(file, page.encode("utf-8"))
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror}") from None
