"""Searches of the settings that papers leave open: the published tables, and the point that begins them."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ackclock import papers
from ackclock.papers import Context, load_measure, searched
from papers.settings import ROOT, plans, points

PLANNED = [
    (entry.key, plan) for entry in papers.list_papers() for plan in plans(papers.load_paper(entry.key))
]


def table(key: str, plan: str = "settings") -> Path:
    """The published search of a paper."""
    return ROOT / "published" / "papers" / key / f"{plan}.csv"


def test_each_published_table_has_a_plan() -> None:
    there = {
        (file.parent.name, file.stem) for file in (ROOT / "published" / "papers").glob("*/settings*.csv")
    }
    assert there == set(PLANNED)


@pytest.mark.parametrize(("key", "plan"), PLANNED)
def test_the_published_table_has_the_points_of_the_plan(key: str, plan: str) -> None:
    paper = papers.load_paper(key)
    file = table(key, plan)
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [dict(one.levels) for one in searched.read(file, paper.setting).settings] == [
        dict(point.levels) for point in points(paper, plan)
    ]
    known = {claim.statement_id for claim in paper.claims}
    for row in rows:
        names = row["statements"].split()
        assert len(names) == int(row["reproduced"]) <= int(row["of"])
        assert set(names) <= known


def part(module: ModuleType, name: str) -> ModuleType:
    """A module of the paper's `measure` package, as `load_measure` has imported it last."""
    return sys.modules[f"{module.__name__}.{name}"]


def used(key: str) -> tuple[ModuleType, Context]:
    """A paper's measure under the published point of its plan, and a context that runs nothing."""
    paper = papers.load_paper(key)
    module = load_measure(paper.folder)
    every = points(paper)
    published = next((one for one in every if dict(one.levels) == dict(paper.setting)), every[0])
    assert module.use([published.levels], [published.settings]) == [""]
    return module, Context(paper, quick=True)


def test_the_chosen_point_of_he_tcp_is_the_published_setting() -> None:
    module, context = used("he-tcp")
    study = part(module, "study")
    searched_for, path = dict(study.ALGORITHMS), study.pipe(context).to_toml()
    assert dict(context.paper.setting) == dict(
        searched.read(table("he-tcp"), context.paper.setting).chosen.levels
    )
    ours = part(load_measure(context.paper.folder), "study")
    assert path == ours.pipe(context).to_toml()
    assert study.LENGTHS == ours.LENGTHS
    assert {name: context.written(spec) for name, spec in searched_for.items()} == {
        name: context.written(spec) for name, spec in ours.ALGORITHMS.items()
    }


def test_the_first_point_of_tcp_variants_is_the_published_setting() -> None:
    module, context = used("tcp-variants")
    choices = part(module, "choices")
    assert context.scenario("figure-1", choices.OPEN).to_toml() == context.scenario("figure-1").to_toml()
    assert choices.SPECIFICATIONS["vegas"] == "vegas"


def test_the_first_point_of_burst_tcp_is_the_published_setting() -> None:
    module, context = used("burst-tcp")
    stack = part(module, "stack")
    base = context.scenario("base")
    alone = stack.STACKS[0].scenario(base, "btcp4").to_toml()
    ours = part(load_measure(context.paper.folder), "stack")
    assert alone == ours.STACKS[0].scenario(base, "btcp4").to_toml()
    assert [each.name for each in stack.STACKS] == ["thesis"], "a search runs the stack that decides"


def test_the_first_reading_of_mesonet_is_the_built_in_compound_tcp() -> None:
    module, context = used("mesonet")
    readings = part(module, "readings")
    path = {"duration": "8 s", "warm_up": "3 s", "flow.1.start": "3 s", "trace.interval": "100 ms"}
    ours = readings.compound(context, 42, path)
    race = context.compare({"ctcp": f"{readings.BEFORE}+compound"}, readings.dumbbell(context, 42, path))
    built_in = readings.Outcome.of(race.results[0], 42)
    assert sum(ours.windows) == pytest.approx(sum(built_in.windows), rel=0.02)
    readings.LEVELS["average"] = "cwnd alone"
    alone = readings.compound(context, 42, path)
    assert sum(alone.windows) < 0.95 * sum(ours.windows), "the delay window is left out"


def test_another_point_changes_the_senders_and_the_network() -> None:
    paper = papers.load_paper("he-tcp")
    module = load_measure(paper.folder)
    last = points(paper)[-1]
    module.use([last.levels], [last.settings])
    study = part(module, "study")
    assert last.levels["recovery"] == "newreno"
    assert all(spec.startswith("newreno+") for spec in study.ALGORITHMS.values())
    assert "low_window=100" in study.ALGORITHMS["hetcp"]
    assert "segments_per_ack = 2" in study.pipe(Context(paper, quick=True)).to_toml()
