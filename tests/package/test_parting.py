"""The moment at which two runs part."""

from __future__ import annotations

import pytest

import ackclock
from ackclock.attacks import parting
from ackclock.attacks.networks import OWN
from ackclock.measures.record import RunRecord

SECONDS = 10
SCENARIO = {
    "name": "parting",
    "duration": f"{SECONDS} s",
    "topology": {
        "dumbbell": {
            "pairs": 1,
            "bottleneck": {"rate": "1 Mbit/s", "delay": "10 ms", "buffer": "10 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [{"name": OWN}],
    "trace": {"interval": "100 ms"},
}


def parted(monkeypatch: pytest.MonkeyPatch, begins_s: float, ends_s: float) -> parting.Parting | None:
    """The moment found for two runs that differ between these times."""
    run = ackclock.run(SCENARIO)
    known = parting.series

    def changed(result: RunRecord, column: str) -> tuple[parting.Floats, parting.Floats]:
        times, values = known(run, column)
        apart = (times >= begins_s) & (times < ends_s) & (result is not run)
        return times, values + 1e6 * apart

    monkeypatch.setattr(parting, "series", changed)
    return parting.parting(run, ackclock.run(SCENARIO), "goodput_bit_per_s")


def test_runs_part_where_a_difference_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    found = parted(monkeypatch, 4.0, SECONDS)
    assert found is not None
    assert found.at_s == pytest.approx(4.0, abs=parting.SMOOTH_S)


def test_a_difference_at_the_end_may_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parted(monkeypatch, SECONDS - parting.STAYS_S / 2, SECONDS + 1) is None


def test_gauges_are_those_of_the_own_flow() -> None:
    """CUBIC next to it has w_max, which changes with its losses; Reno has no gauge."""
    flows = [{"name": OWN, "algorithm": "rack+reno"}, {"name": "other", "algorithm": "cubic"}]
    run = ackclock.run({**SCENARIO, "flow": flows})
    assert run.tables["gauges"]["flow"].unique().to_list() == [1]
    alone = ackclock.run({**SCENARIO, "flow": [flows[0]]})
    found = parting.parting(run, alone, "goodput_bit_per_s")
    assert found is not None
    assert all("w_max" not in each.name for each in found.changed)
