"""Two losses of one window in ns-2 and here: one fast retransmit and a timeout, or two fast retransmits."""

import shutil

import pytest

import ackclock
from verification.peers.harness import NS2, cached_output


def here(beyond: str, algorithm: str = "reno") -> tuple[int, int]:
    """Packets sent again, and timeouts."""
    link = {
        "from": "left",
        "to": "right",
        "rate": "100 Mbit/s",
        "delay": "50 ms",
        "buffer": "1000 packets",
        # Ordinals; ns-2 counts from 0.
        "loss": {"scripted": {"flow": 0, "packets": [4, 10]}},
    }
    result = ackclock.run(
        {
            "name": "two-losses",
            "duration": "60 s",
            "topology": {"graph": {"link": [link]}},
            "tcp": {
                "algorithm": f"{algorithm}+reno(limit=1)",
                "mss": "1000 bytes",
                "initial_window": "16 packets",
                "segments_per_ack": 1,
                "handshake": False,
                "rto_min": "0.2 s",
                "fast_retransmit_beyond": beyond,
            },
            "flow": [{"from": "left", "to": "right", "packets": 60}],
        }
    )
    flow = result.flows.row(0, named=True)
    return flow["retransmissions"], flow["timeouts"]


@pytest.mark.parametrize(("beyond", "timeouts"), [("recover", 1), ("restart", 0), ("nothing", 0)])
def test_only_recover_waits_for_the_timer(beyond: str, timeouts: int) -> None:
    """By hand: packets 4 to 8, 10 to 15 and the packets that they admit make duplicates of packet 3.

    The third sends packet 3 again; its acknowledgment covers all up to packet 8, fewer than the 16 sent, so
    that duplicates of packet 9 count only by the other two settings. Each packet is sent again once.
    """
    assert here(beyond) == (2, timeouts)


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
@pytest.mark.parametrize(("bug_fix", "beyond"), [("true", "recover"), ("false", "nothing")])
def test_bug_fix_of_ns2_is_recover(bug_fix: str, beyond: str) -> None:
    sent_again, timeouts = (
        int(word) for word in cached_output(NS2, "two_losses", "Reno", bug_fix).split()[-2:]
    )
    assert here(beyond) == (sent_again, timeouts)
