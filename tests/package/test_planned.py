"""The runs of a plan as rows, of which there may be a million, and the keys of those that a store has."""

import tracemalloc

import polars as pl

from ackclock.sweeps.plan import load_plan
from ackclock.sweeps.planned import planned
from ackclock.sweeps.shards import Shard
from ackclock.sweeps.store import places_of

PLAN = {
    "name": "small",
    "scenario": "two-megabit",
    "settings": {"duration": "4 s"},
    "grid": {"topology.dumbbell.bottleneck.buffer": ["3 packets", "12 packets"]},
}


def test_a_planned_run_takes_a_row_and_no_object() -> None:
    """A task for each would take 300 bytes of each of a million runs."""
    plan = load_plan({**PLAN, "algorithms": ["reno"], "seeds": 5000})
    tracemalloc.start()
    runs = planned(plan, None, Shard(2, 2), trust=False)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(runs) == len(plan.points) * 2500
    assert kept / len(runs) < 60
    assert (runs[0].seed, runs[-1 + len(runs)].seed) == (plan.seeds[1], plan.seeds[-1])
    known = runs.rows["run"][1:]
    assert [task.key for task in runs.without(known)] == [runs[0].key]


def test_keys_are_found_in_the_order_of_ours() -> None:
    ours, theirs = pl.Series(["b", "a", "c"]), pl.Series(["c", "b", "zz"])
    assert [each.to_list() for each in places_of(ours, theirs)] == [[0, 2], [1, 0]]
    twice = pl.concat([theirs, theirs])
    assert [each.to_list() for each in places_of(ours, twice)] == [[0, 0, 2, 2], [1, 4, 0, 3]]
    assert [each.to_list() for each in places_of(ours, theirs.clear())] == [[], []]
