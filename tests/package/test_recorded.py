"""A table that was not recorded is told from one in which nothing happened."""

from pathlib import Path

import pytest

import ackclock
from ackclock import Result
from ackclock.errors import InputError
from ackclock.runs.tables import RECORDED_BY, TABLES

SMALL = {
    "name": "small",
    "duration": "1 s",
    "topology": {
        "dumbbell": {
            "pairs": 1,
            "bottleneck": {"rate": "2 Mbit/s", "delay": "20 ms", "buffer": "10 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "5 ms"},
        }
    },
    "flow": [{}],
}
SERIES = {"network_series", "flow_series", "link_series", "drops", "flow_events", "gauges"}


def recorded(result: Result) -> set[str]:
    """Those of the tables that not every run records."""
    return set(RECORDED_BY) & set(result.tables)


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        ({}, {"transfers", "pages", "responses"}),
        ({"trace.transfers": False}, set()),
        ({"trace.interval": "100 ms"}, SERIES | {"transfers", "pages", "responses"}),
        (
            {"trace.interval": "100 ms", "trace.flows": False, "trace.transfers": False},
            {"network_series", "link_series"},
        ),
        (
            {"trace.interval": "100 ms", "trace.links": False, "trace.transfers": False},
            SERIES - {"link_series"},
        ),
        ({"trace.packets": ["left->right"], "trace.transfers": False}, {"packets"}),
        ({"trace.epoch": "own rtt", "trace.transfers": False}, {"epochs", "silences"}),
    ],
)
def test_what_a_run_records_is_what_the_scenario_asks_for(
    trace: dict[str, object], expected: set[str], tmp_path: Path
) -> None:
    result = ackclock.run(SMALL, settings=trace)
    assert recorded(result) == expected
    for name in TABLES:
        if name in result.tables:
            assert getattr(result, name).width or name in ("calls", "films", "segments", "incidents")
            continue
        wanted = rf"^{name}: not recorded in this run; expected (trace\.|a flow with a page|a \[\[call\]\])"
        with pytest.raises(InputError, match=wanted) as raised:
            getattr(result, name)
        assert "\n" not in str(raised.value)
        with pytest.raises(InputError, match="not recorded"):
            result.columns(name)
    result.save(tmp_path / "saved", report=False)
    files = {file.stem for file in (tmp_path / "saved" / "tables").iterdir()}
    assert files & set(RECORDED_BY) == expected
    again = ackclock.load(tmp_path / "saved").results[0]
    assert recorded(again) == expected
    for name in set(RECORDED_BY) - expected:
        with pytest.raises(InputError, match=f"^{name}: not recorded"):
            getattr(again, name)


def test_nothing_dropped_is_a_table_without_rows() -> None:
    result = ackclock.run(SMALL, settings={"duration": "200 ms"}, series=True)
    assert result.drops.columns == ["time_s", "link", "flow", "sequence_bytes", "reason"]
    assert result.drops.is_empty()


def test_a_comparison_records_series_of_its_first_seed(tmp_path: Path) -> None:
    race = ackclock.compare(["reno", "vegas"], SMALL, seeds=2, series=True)
    race.save(tmp_path / "race", report=False)
    for runs in (race, ackclock.load(tmp_path / "race")):
        assert "drops" in runs.result("reno", 1).tables
        assert "drops" not in runs.result("reno", 2).tables
        assert set(runs.table("drops")["seed"].unique()) <= {1}


def test_a_sweep_that_keeps_what_no_run_records_says_so(tmp_path: Path) -> None:
    plan = {
        "name": "kept",
        "scenario": SMALL,
        "seeds": [1],
        "algorithms": {"reno": "reno"},
        "keep": ["drops"],
    }
    with pytest.raises(InputError, match="drops: not recorded in this run"):
        ackclock.sweep(plan, tmp_path / "store")
