"""Fast Open in the simulator against its plain-Python reading, with the SYN arriving and lost."""

import pytest

import ackclock
from reference.transport.fast_open import acknowledged_s

ONE_WAY_S = 0.05
TOLERANCE_S = 1e-4
"""Packets take microseconds to be transmitted."""

SCENARIO = """
name = "fast-open"
duration = "60 s"
[topology.graph]
[[topology.graph.link]]
from = "client"
to = "server"
rate = "1 Gbit/s"
delay = "50 ms"
buffer = "100 packets"
[tcp]
algorithm = "sack+standard+reno"
fast_open = true
[[flow]]
name = "first"
from = "client"
to = "server"
packets = 1
[[flow]]
name = "second"
from = "client"
to = "server"
packets = 1
start = "2 s"
"""


@pytest.mark.parametrize("syns", [(), (1,)])
def test_the_second_connection_ends_when_its_reading_does(syns: tuple[int, ...]) -> None:
    """A SYN with data is the first packet with data of its flow."""
    scenario = ackclock.Scenario.from_toml(SCENARIO)
    if syns:
        scenario = scenario.with_value(
            "topology.graph.link.0.loss", "{ scripted = { flow = 1, packets = [1] } }"
        )
    result = ackclock.run(scenario)
    expected, in_syn = acknowledged_s(ONE_WAY_S, syns, (), has_cookie=True)
    row = result.flows.row(1, named=True)
    assert row["finish_s"] - 2.0 == pytest.approx(expected, abs=TOLERANCE_S)
    incidents = result.incidents.row(0, named=True)
    assert (incidents["fast_opens"], incidents["fast_open_fallbacks"]) == (int(in_syn), int(not in_syn))
    assert row["packets_delivered"] == 1


def test_the_first_connection_asks_for_the_cookie() -> None:
    result = ackclock.run(ackclock.Scenario.from_toml(SCENARIO))
    expected, in_syn = acknowledged_s(ONE_WAY_S, (), (), has_cookie=False)
    assert not in_syn
    assert result.flows["finish_s"][0] == pytest.approx(expected, abs=TOLERANCE_S)
