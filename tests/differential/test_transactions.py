"""T/TCP in the simulator against its plain-Python reading: connections close after each other, SYNs lost."""

import pytest

import ackclock
from reference.transport.transactions import opened

ONE_WAY_S = 0.05
TIMEOUT_S = 1.0
TOLERANCE_S = 1e-4
"""Packets take microseconds to be transmitted."""

STARTS_S = (0.0, 0.04, 0.3, 2.0, 2.5, 2.7, 4.0)
CASES: tuple[tuple[int, ...], ...] = ((), (3,), (4,), (4, 5), (1,), (7,))


@pytest.mark.parametrize("lost", CASES)
def test_connections_are_accepted_and_end_when_their_reading_does(lost: tuple[int, ...]) -> None:
    steps = [["0 s", 0.0]]
    for count in lost:
        start = STARTS_S[count - 1]
        # All other packets meanwhile go the other way, or are no first SYN.
        steps += [[f"{start - 1e-3:.6f} s" if start else "0 s", 1.0], [f"{start + 1e-3:.6f} s", 0.0]]
    if steps[1:2] == [["0 s", 1.0]]:
        steps = steps[1:]
    result = ackclock.run(
        {
            "name": "transactions",
            "duration": "60 s",
            "topology": {
                "graph": {
                    "link": [
                        {
                            "from": "client",
                            "to": "server",
                            "rate": "1 Gbit/s",
                            "delay": f"{ONE_WAY_S} s",
                            "buffer": "100 packets",
                            "loss": {"schedule": {"steps": steps}},
                            "reverse": {"loss": {"bernoulli": 0.0}},
                        }
                    ]
                }
            },
            "tcp": {"algorithm": "sack", "sharing": "t-tcp", "syn_timeout": f"{TIMEOUT_S} s"},
            "flow": [
                {"from": "client", "to": "server", "packets": 1, "start": f"{start} s"} for start in STARTS_S
            ],
        }
    )
    expected = opened(STARTS_S, lost, ONE_WAY_S, TIMEOUT_S)
    assert any(accepted for accepted, _ in expected)
    assert result.flows["finish_s"].to_list() == pytest.approx(
        [time for _, time in expected], abs=TOLERANCE_S
    )
    incidents = {row["flow"]: row["fast_opens"] for row in result.incidents.to_dicts()}
    assert [bool(incidents.get(flow, 0)) for flow in range(len(STARTS_S))] == [one for one, _ in expected]
