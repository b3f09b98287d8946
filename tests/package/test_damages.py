"""Random damages to results: what is read is what was written, or one sentence says what has changed.

ACKCLOCK_DAMAGES=800 tries more of them.
"""

import os
import random
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

import ackclock
from ackclock import papers
from ackclock.attacks import report as attack_report
from ackclock.attacks.replay import read_finding
from ackclock.crosscheck.cases import Bottleneck, Case
from ackclock.crosscheck.measurement import Measurement
from ackclock.crosscheck.store import Runs
from ackclock.errors import InputError, OutputError, ScenarioError
from ackclock.evaluation import report as evaluation_report
from ackclock.results_folder import ResultsFolder, read_table
from ackclock.runs.tables import TABLES
from ackclock.sweeps.store import RUNS, Store

COUNT = int(os.environ.get("ACKCLOCK_DAMAGES", "60"))
SETTINGS = {"duration": "3 s", "warm_up": "0 s"}
PLAN = {
    "name": "plan",
    "scenario": "single-flow",
    "settings": SETTINGS,
    "algorithms": ["reno", "cubic"],
    "seeds": 2,
}
CASE = Case("reno", Bottleneck(20, 20, 80))
MINE = """
class Mine:
    def __init__(self, start):
        self.cwnd = start.initial_window
    def on_ack(self, ack):
        self.cwnd += ack.delivered / self.cwnd
    def on_congestion(self, event):
        self.cwnd = max(self.cwnd / 2, 1.0)
"""
CLAIMS = """
[paper]
key = "toy"
title = "On Halves"
authors = "A. Nonymous"
year = 1999
[[claim]]
id = "half"
class = "paper"
place = "V"
statement = "Half the rate uses half the link."
kind = "range"
expected = [0.45, 0.55]
why = "by definition"
"""
MEASURE = """
import matplotlib.figure
from ackclock.papers import Values

def measure(context):
    runs = context.replicate("single-flow", seeds=2, settings={"duration": "2 s", "warm_up": "0 s"})
    context.table("runs", runs.runs)
    figure = matplotlib.figure.Figure()
    figure.subplots().plot([0, 1], [0, 1])
    context.figure("line", figure, "A line.")
    return {"half": Values([0.5, 0.51])}
"""

Reader = Callable[[Path], object]


def of_runs(folder: Path) -> object:
    found = ackclock.load(folder)
    tables = [found.table(name).to_dicts() for name in TABLES]
    more = (found.summary, found.runs, found.differences)
    return repr((tables, [each.to_dicts() for each in more], found.scenario.to_toml(), found.interrupted))


def again(folder: Path, name: str = "scenario.toml") -> object:
    """A run of a folder's own scenario, with its class."""
    result = ackclock.run(folder / name)
    return repr([result.flows.to_dicts(), result.links.to_dicts()])


def of_sweep(folder: Path) -> object:
    """The sweep again, which runs what its store lacks; its saved table, and one of its scenarios."""
    swept = ackclock.sweep(PLAN, folder / "store").runs.to_dicts()
    return repr((swept, read_table(folder, "runs").to_dicts(), again(folder, "scenarios/0.toml")))


def of_paper(folder: Path) -> object:
    read = papers.judged_again(papers.load_paper(folder.parent / "toy"), folder)
    tables = {name: table.to_dicts() for name, table in read.tables.items()}
    facts = (read.quick, read.notes, read.measured_by, read.figures, read.parts)
    return repr(([(one.claim.id, one.measured) for one in read.verdicts], tables, facts))


def of_host(folder: Path) -> list[str]:
    """Runs by the host's clock; one that is not known is measured again."""
    known = Runs(folder)
    found = [known.find("quinn", CASE, number) for number in range(3)]
    return [repr(each) for each in found if each is not None]


def of_store(folder: Path) -> list[str]:
    """The runs of an evaluation or an attack; one that the store lacks is run again."""
    table = Store(folder / "store").read(RUNS)
    rows = [] if table is None else table.to_dicts()
    # Rows lack what no run of their file has, which is null next to the rows of others.
    return [repr(sorted((key, value) for key, value in row.items() if value is not None)) for row in rows]


def of_finding(folder: Path) -> object:
    """The path that an attack has found, and its run."""
    recorded = read_finding(folder / "finding.toml")
    return repr((recorded.path, recorded.below, recorded.shares((1,))[1].share, again(folder)))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Reader]]:
    """A folder of each kind of results, and what reads it."""
    top = tmp_path_factory.mktemp("damages")
    source = top / "mine.py"
    source.write_text(MINE)
    mine = f"{source}:Mine"
    race = ackclock.compare(["cubic", mine], "single-flow", settings=SETTINGS, seeds=2, series=True)
    race.save(top / "race", report=False)
    ackclock.replicate("single-flow", settings=SETTINGS, algorithm=mine).save(top / "run", report=False)
    source.unlink()
    swept = ackclock.sweep(PLAN, top / "sweep" / "store")
    swept.save(top / "sweep", report=False)
    toy = top / "toy"
    toy.mkdir()
    (toy / "claims.toml").write_text(CLAIMS)
    (toy / "reproduce.py").write_text(MEASURE)
    ackclock.reproduce(toy, quick=True).save(top / "paper")
    with ResultsFolder(top / "evaluation", (evaluation_report.KIND,), shared=True) as opened:
        store = top / "evaluation" / "store"
        done = ackclock.evaluate("vegas", store, only=["bufferbloat"], quick=True, seeds=1)
        evaluation_report.write(done, opened)
    with ResultsFolder(top / "attack", (attack_report.KIND,), shared=True) as opened:
        found = ackclock.attack("vegas", top / "attack" / "store", budget="1 s", findings=1, seeds=2)
        attack_report.write(found, opened)
    runs = Runs(top / "host")
    for number in range(3):
        runs.add("quinn", CASE, number, Measurement(19e6 + number, None, 7, 0.05))
    return {
        "race": (top / "race", of_runs),
        "run": (top / "run", of_runs),
        "again": (top / "run", again),
        "sweep": (top / "sweep", of_sweep),
        "paper": (top / "paper", of_paper),
        "host": (top / "host", of_host),
        "evaluation": (top / "evaluation", of_store),
        "attack": (top / "attack", of_store),
        "finding": (top / "attack", of_finding),
    }


def damage(data: bytes, draw: random.Random) -> bytes | None:
    """Other contents; None if the file is gone."""
    if not data:
        return b"x"
    at = draw.randrange(len(data))
    kind = draw.randrange(7)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + bytes(min(64, len(data) - at)) + data[at + 64 :]
    if kind == 3:
        return data[:at] + data[at // 2 : at] + data[at:]
    if kind == 4:
        return None
    if kind == 5:
        return data + data[: at + 1]
    digits = [place for place, letter in enumerate(data) if letter in b"0123456789"]
    if not digits:
        return data[::-1]
    at = draw.choice(digits)
    return data[:at] + str((int(data[at : at + 1]) + draw.randrange(1, 10)) % 10).encode() + data[at + 1 :]


def test_no_damage_is_silent(kinds: dict[str, tuple[Path, Reader]], tmp_path: Path) -> None:
    before = {kind: read(folder) for kind, (folder, read) in kinds.items()}
    said = 0
    for number in range(COUNT):
        draw = random.Random(number)  # noqa: S311 - damages, not secrets
        kind = sorted(kinds)[number % len(kinds)]
        folder, read = kinds[kind]
        copy = tmp_path / "top" / folder.name
        shutil.rmtree(copy.parent, ignore_errors=True)
        shutil.copytree(folder, copy)
        if kind == "paper":
            shutil.copytree(folder.parent / "toy", copy.parent / "toy")
        file = draw.choice(sorted(path for path in copy.rglob("*") if path.is_file()))
        whole = file.read_bytes()
        changed = damage(whole, draw)
        file.unlink()
        if changed is not None:
            file.write_bytes(changed)
        where = f"damage {number}: {kind}, {file.relative_to(copy)}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = read(copy)
            except (InputError, OutputError, ScenarioError):
                said += 1
                continue
            except BaseException as error:
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
        if isinstance(found, list):  # a run that is gone is not known
            assert set(found) <= set(cast("list[str]", before[kind])), where
        else:
            assert found == before[kind], where
    print(f"{COUNT} damages, {said} of them said")
    assert said > COUNT // 8
