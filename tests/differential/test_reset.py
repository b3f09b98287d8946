"""Resets in the simulator against their plain-Python reading, packet by packet as the links captured them."""

import polars as pl
import pytest

import ackclock
from reference.transport.reset import Aborted, Receiver

FIRST_BYTE = 1
"""After the SYN."""
DELAY_S = 0.05


def scenario(stop_ms: int, loss: float, segments_per_ack: int) -> dict[str, object]:
    """A flow that aborts while it sends, over a path that may lose data."""
    link: dict[str, object] = {"from": "s", "to": "k", "rate": "10 Mbit/s", "delay": "50 ms"}
    link |= {"buffer": "20 packets"} | ({"loss": {"bernoulli": loss}} if loss else {})
    return {
        "name": "reset",
        "duration": "8 s",
        "seed": stop_ms,
        "topology": {"graph": {"link": [link]}},
        "tcp": {"algorithm": "sack+reno", "close_by_reset": True, "segments_per_ack": segments_per_ack},
        "flow": [{"from": "s", "to": "k", "stop": f"{stop_ms} ms"}],
        "trace": {"packets": ["s->k", "k->s"], "interval": "1 s"},
    }


@pytest.mark.parametrize("stop_ms", [215, 333, 460, 700, 1100, 2050])
@pytest.mark.parametrize("loss", [0.0, 0.05])
@pytest.mark.parametrize("segments_per_ack", [1, 2])
def test_both_ends_do_what_their_reading_does(stop_ms: int, loss: float, segments_per_ack: int) -> None:
    """What is delivered, when the receiver falls silent, and each reset with its number."""
    result = ackclock.run(scenario(stop_ms, loss, segments_per_ack))
    links = {name: link for link, name in result.links.select("link", "name").iter_rows()}
    receiver, sender = Receiver(FIRST_BYTE), Aborted()
    following, resets = FIRST_BYTE, []
    # A link loses packets at its far end, behind the capture.
    lost = set(result.drops.filter(pl.col("reason") == "loss").select("time_s", "sequence_bytes").iter_rows())
    for row in result.packets.iter_rows(named=True):
        late = row["time_s"] > stop_ms / 1e3
        if row["link"] == links["s->k"]:
            following = max(following, row["sequence"] + row["payload_bytes"])
            if (row["time_s"], row["sequence"]) in lost:
                continue
            receiver.on_data(row["sequence"], row["payload_bytes"])
            # What has no data and left after the stop is a reset.
            if late and row["payload_bytes"] == 0 and row["time_s"] > stop_ms / 1e3 + DELAY_S:
                resets.append(row["sequence"])
                receiver.on_reset(row["sequence"])
        elif late:
            sender.on_acknowledgment(row["acknowledgment"])
    sender.resets.insert(0, following)
    assert receiver.delivered == result.flows["bytes_delivered"][0]
    # A reset may be lost on the way, the first one among them.
    sent = iter(sender.resets)
    assert all(number in sent for number in resets), (resets, sender.resets)
    if not loss:
        assert resets == sender.resets
        assert not receiver.is_open
    assert result.incidents["resets"][0] >= 1
