"""How connections read, open and end: receive buffers, resets, and the table of incidents."""

import math

import pytest

import ackclock

PATH = """
name = "connections"
duration = "20 s"
[topology.dumbbell]
pairs = 1
bottleneck = { rate = "20 Mbit/s", delay = "20 ms", buffer = "200 packets" }
access = { rate = "1 Gbit/s", delay = "1 ms" }
[tcp]
algorithm = "sack+standard+reno"
[[flow]]
"""


def run(flow: str = "", **tcp: str) -> ackclock.Result:
    """One flow with these keys, and these of its connection."""
    scenario = ackclock.Scenario.from_toml(PATH + flow)
    for key, value in tcp.items():
        scenario = scenario.with_value(f"tcp.{key}", value)
    return ackclock.run(scenario)


def test_a_connection_without_incidents_has_no_row() -> None:
    assert run().incidents.shape == (0, 0)


@pytest.mark.parametrize("rate_mbit", [1.0, 8.0])
def test_a_flow_carries_what_its_application_reads(rate_mbit: float) -> None:
    """And what fits the buffer, which is full at the end."""
    result = run(receive_window="64 kB", read_rate=f"{rate_mbit} Mbit/s")
    delivered = result.flows["bytes_delivered"].item()
    most = rate_mbit * 1e6 / 8 * 20 + 64_000
    assert 0.99 * (most - 64_000) < delivered <= most
    assert result.flows["retransmissions"].item() == 0


def test_a_tuned_buffer_holds_nothing_up() -> None:
    tuned = run(initial_receive_window="20 packets", receive_window="2000 packets", timestamps="true")
    unlimited = run(timestamps="true")
    delivered = unlimited.flows["bytes_delivered"].item()
    assert tuned.flows["bytes_delivered"].item() == pytest.approx(delivered, rel=0.005)
    fixed = run(receive_window="20 packets", timestamps="true")
    assert fixed.flows["bytes_delivered"].item() < 0.4 * tuned.flows["bytes_delivered"].item()


def test_a_stop_by_a_reset_delivers_what_left_before_it() -> None:
    """The path keeps the order: what was sent before the reset arrives before it."""
    closed, reset = run('stop = "5 s"'), run('stop = "5 s"', close_by_reset="true")
    row = reset.flows.row(0, named=True)
    assert reset.incidents["resets"].to_list() == [1]
    assert row["packets_sent"] == row["packets_delivered"] + row["packets_lost"]
    assert math.isnan(row["finish_s"])
    assert closed.flows["finish_s"].item() > 5.0


def test_a_file_that_ends_by_a_reset_ends_when_it_is_acknowledged() -> None:
    closed, reset = run("packets = 500"), run("packets = 500", close_by_reset="true")
    assert reset.flows["finish_s"].item() == closed.flows["finish_s"].item()
    assert reset.flows["packets_delivered"].item() == 500
    assert reset.incidents["resets"].to_list() == [1]
