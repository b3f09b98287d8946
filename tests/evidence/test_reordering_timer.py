"""RACK's reordering timer before a full queue, as told in docs/algorithms/recovery/rack.md."""

import tomllib
from collections import Counter

import ackclock

SCENE = """
name = "reordering-timer"
duration = "60 s"
[topology.dumbbell]
pairs = 1
bottleneck = { rate = "5 Mbit/s", delay = "10 ms", buffer = "10 packets" }
access = { rate = "1 Gbit/s", delay = "0 ms" }
[tcp]
segments_per_ack = 1
[[flow]]
name = "reno"
[trace]
interval = "1 s"
"""


def run(algorithm: str, slack: str) -> tuple[float, int, int]:
    """Goodput in Mbit/s, retransmissions, and how many of these the queue dropped again."""
    settings = {"tcp.algorithm": algorithm, "tcp.reordering_timer_slack": slack}
    result = ackclock.run(ackclock.load_scenario(tomllib.loads(SCENE), settings))
    drops = Counter(result.drops["sequence_bytes"].to_list())
    goodput = float(result.flows["goodput_bit_per_s"][0]) / 1e6
    return goodput, int(result.flows["retransmissions"][0]), sum(count - 1 for count in drops.values())


def test_retransmissions_that_no_acknowledgment_clocks_meet_the_full_queue() -> None:
    """At a loss the exact timer sends a packet more than has left; a late one leaves it to the duplicate."""
    sack, exact, late = run("sack", "0 ms"), run("rack", "0 ms"), run("rack", "2 ms")
    assert exact[2] > 0.4 * exact[1], "most retransmissions are lost again"
    assert sack[2] == late[2] == 0
    assert late[:2] == sack[:2]
    assert exact[0] < 0.95 * sack[0]
