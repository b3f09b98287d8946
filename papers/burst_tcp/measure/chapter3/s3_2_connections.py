"""3.2.1 and 3.2.3: the packets of a connection in addition to its data, and what its losses wait for.

Chapter 3 measures nothing; what it says of standard TCP is run with the senders of Table I.
"""

from __future__ import annotations

from collections.abc import Mapping

import ackclock
from ackclock import Result
from ackclock.papers import Holds, Measured, Ordered, Values

from ..file_runs import ByStack, Study
from ..stack import THESIS
from .s3_3_4_users import senders

__all__ = ["COUNT", "measure"]

COUNT = 0
"""Single files, over before anything shows."""
DELAY_S = 0.05
ELEPHANT = 5000
MICE = (1, 2, 3)
LARGER_MICE = (10, 20)
FIRST_S = DELAY_S / 2
"""A SYN that leaves before this is lost, where the SYN is."""


def measure(study: Study) -> ByStack:
    """What 3.2 says of the overhead of connections, and of losses."""
    del study  # nothing is random
    return {THESIS.name: {**_overhead(), **_losses()}}


def file(packets: int, loss: Mapping[str, object] | None = None, **tcp: object) -> Result:
    """A file alone on an idle path of 100 ms."""
    lossy = {"loss": loss, "reverse": {"loss": {"bernoulli": 0.0}}} if loss else {}
    link = {"from": "source", "to": "sink", "rate": "10 Mbit/s", "delay": f"{DELAY_S} s", **lossy}
    return ackclock.run(
        {
            "name": "file",
            "duration": "60 s",
            "topology": {"graph": {"link": [link]}},
            "tcp": {**senders(), **tcp},
            "flow": [{"from": "source", "to": "sink", "packets": packets}],
        }
    )


def lost(*packets: int) -> dict[str, object]:
    """The loss of these packets of data, counted from one."""
    return {"scripted": {"flow": 0, "packets": list(packets)}}


def control_percent(packets: int) -> float:
    """The packets that open and close the connection, in per cent of all its packets.

    They are those of the sender that carry no data, and the receiver's SYN-ACK and FIN.
    """
    result = file(packets)
    there, back = result.links["packets_forwarded"].to_list()
    control: float = there - result.flows["packets_sent"][0] + 2
    return 100.0 * control / float(there + back)


def needs_timer(packets: int) -> list[bool]:
    """True if the retransmission timer repairs the loss, for the loss of each packet of a file."""
    return [bool(file(packets, lost(number)).flows["timeouts"][0]) for number in range(1, packets + 1)]


def _overhead() -> dict[str, Measured]:
    return {
        "syn-fin-mice": Values([max(map(control_percent, MICE))], note="of a file of one packet"),
        "syn-fin-elephants": Values([control_percent(ELEPHANT)]),
    }


def _losses() -> dict[str, Measured]:
    few = [waits for packets in MICE for waits in needs_timer(packets)]
    more = [waits for packets in LARGER_MICE for waits in needs_timer(packets)]
    without_syn: dict[str, object] = {"schedule": {"steps": [["0 s", 1.0], [f"{FIRST_S} s", 0.0]]}}

    def took(loss: Mapping[str, object], initial: str) -> float:
        return float(file(3, loss, rto_initial=initial, syn_timeout=initial).flows["finish_s"][0])

    timeouts = ("3 s", "1 s", "0.5 s")
    return {
        "few-packets-timer": Holds(few, number=100 * sum(few) / len(few), note="per cent of the losses"),
        "slow-start-timer": Holds(more, number=100 * sum(more) / len(more), note="per cent of the losses"),
        "initial-timeout-syn": Ordered(
            {"a SYN": [took(without_syn, "3 s")], "a packet of data": [took(lost(1), "3 s")]}
        ),
        "initial-timeout-latency": Ordered({value: [took(without_syn, value)] for value in timeouts}),
    }
