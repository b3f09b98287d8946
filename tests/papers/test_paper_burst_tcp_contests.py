"""Chapter 5 of the paper burst-tcp: what its experiments send, and from whom to whom."""

import tomllib
from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

from ackclock import papers, run
from ackclock.measures import transfers
from ackclock.sweeps.plan import load_plan

KEY = "burst-tcp"


@pytest.fixture(scope="module")
def chapter5(module: ModuleType) -> Any:
    """The module, and by it those that it is made of."""
    return module.PARTS["chapter5"]


def test_two_hundred_burst_flows_are_forty_at_each_node(paper: papers.Paper, chapter5: Any) -> None:
    base = papers.Context(paper, quick=True).scenario("reverse", {"duration": "1 s"})
    stack = chapter5.STACKS[0]
    flows = run(chapter5.deployment.mixture(base, stack, "btcp4", 200)).flows
    for way in ("file", "reverse"):
        mine = flows.filter(pl.col("name").str.starts_with(way))
        assert mine.height == 1200
        by_node = Counter(mine.filter(pl.col("algorithm").str.contains("btcp"))["source"])
        assert sorted(by_node.values()) == [40] * 5


def test_background_crosses_one_bottleneck_each_and_is_not_measured(
    paper: papers.Paper, chapter5: Any
) -> None:
    counts = {f"flow.{group}.count": 10 for group in range(4)}
    result = run(papers.Context(paper, quick=True).scenario("multi-hop", counts))
    packets = dict(result.flows.select("name", "packets_delivered").iter_rows())
    forward, first, second = (
        sum(count for name, count in packets.items() if name.startswith(way))
        for way in ("file", "cross0", "cross1")
    )
    through = dict(result.links.select("name", "packets_forwarded").iter_rows())
    acknowledged = sum(count for name, count in packets.items() if name.startswith("reverse"))
    # Data, acknowledgments of what comes the other way, and SYNs; what was sent again comes on top.
    assert through["r0->r1"] >= forward + first + acknowledged
    assert through["r1->r2"] >= forward + second + acknowledged
    assert through["r0->r1"] - through["r1->r2"] == pytest.approx(first - second, abs=60)
    measured = chapter5.multihop._main(result).numbers
    assert measured["mice_transfers"] + measured["elephants_transfers"] == 20


def test_files_belong_to_one_span_around_the_unresponsive_flow(paper: papers.Paper, chapter5: Any) -> None:
    counts = {f"flow.{group}.count": 50 for group in range(2)}
    result = run(papers.Context(paper, quick=True).scenario("unresponsive", counts))
    spans = chapter5.udp._by_span(result)
    files = {
        name: sum(outcome.numbers[f"{of}_transfers"] for of in transfers.CLASSES)
        for name, outcome in spans.items()
    }
    assert sum(files.values()) == 100
    assert files["before"] == (result.transfers["start_s"] < 300).sum()
    udp = result.flows.filter(pl.col("kind") == "udp")
    # 500 kbit/s of messages of 1024 bytes over 200 s, each in packets of 1000 and 24.
    assert udp["packets_sent"].item() == pytest.approx(2 * 500e3 * 200 / 8192, abs=2)
    context = papers.Context(paper, quick=True)
    whole = run(context.scenario("unresponsive", {**counts, **chapter5.udp.ONE_PACKET})).flows
    one_each = whole.filter(pl.col("kind") == "udp")["packets_sent"].item()
    assert udp["packets_sent"].item() == 2 * one_each


def test_every_stack_and_variant_meets_the_same_files(paper: papers.Paper, chapter5: Any) -> None:
    base = papers.Context(paper, quick=True).scenario("base", {"flow.0.count": 30})
    seen = []
    for stack in chapter5.STACKS:
        for variant in ("newreno", "btcp4"):
            found = run(stack.scenario(base, variant), seed=7).transfers.sort("flow")
            seen.append(found.select("flow", "start_s", "packets"))
    assert all(files.equals(seen[0]) for files in seen)


def test_a_gain_is_the_standards_time_over_the_others(chapter5: Any) -> None:
    contest = chapter5.competition.Contest(
        {
            (variant, 250.0): [
                chapter5.competition.Outcome({"mice_transfer_s": time}, {}, {}, np.array([time]))
                for time in times
            ]
            for variant, times in {"newreno": (1.3, 1.5), "btcp4": (0.9, 1.1)}.items()
        },
        (250.0,),
    )
    assert contest.gain("btcp4", 250.0) == pytest.approx(40)
    assert np.mean(contest.gains("btcp4", 250.0)) == pytest.approx(40, abs=0.5)
    # 0.4 of 1.4 s are saved.
    assert np.mean(contest.saved("btcp4", 250.0)) == pytest.approx(100 * 0.4 / 1.4, abs=0.5)
    faster = chapter5.competition.times_below(contest, ["btcp4"], ["newreno"])
    assert dict(faster.samples) == {"250 flows": pytest.approx([0.4, 0.4])}


def test_all_scenarios_of_chapter_5_have_one_tcp(paper: papers.Paper) -> None:
    names = ("base", "reverse", "unresponsive", "multi-hop")
    files = [paper.folder / "scenarios" / f"{name}.toml" for name in names]
    tables = [tomllib.loads(file.read_text(encoding="utf-8"))["tcp"] for file in files]
    assert all(table == tables[0] for table in tables)


def test_plans_have_the_grid_they_promise(paper: papers.Paper) -> None:
    best = load_plan(paper.folder / "plans" / "best-setting.toml")
    assert len(best.points) == 4 * 3 * 3 * 2
    assert len(best.algorithms) == 1 + 6 * 3
    high = load_plan(paper.folder / "plans" / "high-speed.toml")
    assert {name.rpartition(" ")[2] for name in high.algorithms} == {"hstcp", "htcp", "cubic"}
    assert len(high.algorithms) % 3 == 0


def test_elephants_are_those_that_the_law_of_sizes_has(paper: papers.Paper, module: ModuleType) -> None:
    """By hand: (4 / 82)^1.2 of 1250 files are above 82 packets, 33 of them; sample-and-hold misses few."""
    ways = module.PARTS["elephants"]
    base = papers.Context(paper, quick=True).scenario("base")
    traffic = ways.Traffic.of(base, 1, lambda _: True)
    found = ways.separations(traffic, 82 * ways.WIRE_BYTES, 2)
    aest, held = found["AEST"].elephants, found["sample-and-hold"].elephants
    assert aest.sum() == pytest.approx(33, abs=3 * 33**0.5)
    assert (aest & held).sum() >= 0.9 * aest.sum()
    points = ways.tail_points(ways.TAILS)
    assert min(points) < 82 < max(points), "82 is among what samples of 60 000 sizes give"


def test_files_come_once_and_leave_latent_heat_nothing_to_avoid(
    paper: papers.Paper, module: ModuleType
) -> None:
    ways = module.PARTS["elephants"]
    traffic = ways.Traffic.of(papers.Context(paper, quick=True).scenario("base"), 1, lambda _: True)
    intervals = (traffic.rates > 0).sum(axis=0)
    assert (intervals == 1).mean() > 0.9
    by_rate = ways.separations(traffic, 82 * ways.WIRE_BYTES, 2)[f"{ways.LOAD:.0%} of the load"]
    assert by_rate.changes == pytest.approx(2, abs=0.01), "in and out"


def test_today_a_proposal_of_senders_keeps_the_queue_of_the_routers(
    paper: papers.Paper, module: ModuleType
) -> None:
    """An elephant ahead of a file in one queue makes it wait, whoever sends the file; FQ-CoDel does not."""
    beside = module.PARTS["beside"]
    base = papers.Context(paper, quick=True).scenario("base")
    rows = {row.key: row for row in beside.ROWS}
    queue = "topology.dumbbell.bottleneck.queue"

    def queue_of(key: str, stack: str) -> object:
        return beside.settings(base, rows[key], stack).get(queue)

    assert queue_of("fast-start", "today") == queue_of("standard", "today") == "fq-codel"
    assert queue_of("fast-start", "today-fifo") == "drop-priority"
    assert queue_of("standard", "today-fifo") == "droptail"
    assert [row.key for row in beside.rows_of("today-fifo")] == ["standard", "fast-start", "rio-ps"]
    assert rows["rio-ps"] not in beside.rows_of("today")
