"""Paths without losses on which three duplicates, and timers, report losses.

*Reordering*: one packet in 2000 is displaced by 5 ms on 50 Mbit/s, so that some twenty packets overtake
it. Three duplicate acknowledgments take each for a loss. With a loss of every 1/p-th packet the mean
window is 1.22 / sqrt(p) = 55 packets, a fifth of the bandwidth-delay product of 250; a sender that undoes
needless reductions (DSACK, Eifel), or that waits for late packets (RACK), must have most of the capacity.

*Spikes*: the delay of 20 ms rises by 600 ms for half a second, ten times in a minute; the timeout is
some 200 ms. Each time the timer expires twice before the originals arrive (200 and 400 ms later), and
slow start sends the whole window again, here 80 packets. With F-RTO (RFC 5682) the two expiries send one
packet each, and nothing else is sent again: "the algorithm effectively helps to avoid additional
unnecessary retransmissions".
"""

from __future__ import annotations

from ackclock import Result
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import Report

RATE_BIT_PER_S = 50e6
LINK = {"from": "s", "to": "k"}
DISPLACED = {
    "newreno": ("newreno", {}),
    "sack": ("sack", {}),
    "sack, DSACK": ("sack", {"dsack": True}),
    "sack, Eifel": ("sack", {"timestamps": True}),
    "rack": ("rack", {}),
    "rack, DSACK": ("rack", {"dsack": True}),
}
WINDOW = 80
SPIKES = 10
EXPIRIES = {"newreno": 2 * SPIKES, "sack": 2 * SPIKES, "prr": 2 * SPIKES}
"""200 ms and 400 ms after the last acknowledgment; the next would be 800 ms later."""


def reordering(sender: str) -> Settings:
    """A path that displaces packets and loses none."""
    algorithm, keys = DISPLACED[sender]
    link = {
        **LINK,
        "rate": "50 Mbit/s",
        "delay": "30 ms",
        "buffer": "100% bdp",
        "impairments": ["reordering(probability=0.0005, delay=5 ms)"],
    }
    return {
        "name": "displaced",
        "duration": "60 s",
        "warm_up": "10 s",
        "topology": {"graph": {"link": [link]}},
        "tcp": {"algorithm": algorithm, "receive_window": "500 packets", **keys},
        "flow": [{"from": "s", "to": "k"}],
    }


def spikes(algorithm: str, *, frto: bool) -> Settings:
    """A path whose delay jumps and that loses nothing."""
    delay = {"steps": [["0 s", "20 ms"], ["5 s", "620 ms"], ["5.5 s", "20 ms"]], "every": "6 s"}
    link = {**LINK, "rate": "10 Mbit/s", "delay": delay, "buffer": "100 packets"}
    return {
        "name": "spikes",
        "duration": "60 s",
        "topology": {"graph": {"link": [link]}},
        "tcp": {
            "algorithm": algorithm,
            "rto_min": "200 ms",
            "receive_window": f"{WINDOW} packets",
            "frto": frto,
        },
        "flow": [{"from": "s", "to": "k"}],
    }


def verify(*, quick: bool) -> Report:  # noqa: ARG001 - it is quick
    """Compares detections with the senders that have none."""
    cases = [(algorithm, frto) for algorithm in EXPIRIES for frto in (False, True)]
    scenarios = [reordering(sender) for sender in DISPLACED]
    results = simulate_all([*scenarios, *(spikes(algorithm, frto=frto) for algorithm, frto in cases)])
    displaced = dict(zip(DISPLACED, results[: len(DISPLACED)], strict=True))
    late = dict(zip(cases, results[len(DISPLACED) :], strict=True))
    shares = {
        sender: _flow(result)["goodput_bit_per_s"] / RATE_BIT_PER_S for sender, result in displaced.items()
    }
    checks = []
    for sender, share in shares.items():
        deceived = sender in ("newreno", "sack")
        low, high = (0.1, 0.3) if deceived else (0.7, 1.0)
        checks.append(Verdict.within(f"share of the capacity, {sender}", round(share, 4), low, high))
    for (algorithm, frto), result in late.items():
        name = f"{algorithm}, F-RTO" if frto else algorithm
        flow = _flow(result)
        expiries = EXPIRIES[algorithm]
        again = expiries if frto else SPIKES * WINDOW
        checks.append(Verdict.same(f"timeouts, {name}", flow["timeouts"], expiries))
        checks.append(Verdict.same(f"packets sent again, {name}", flow["retransmissions"], again))
    figure, (left, right) = new_figure(1, 2, height=3.0)
    left.barh(list(shares), [100 * share for share in shares.values()], color="#0072b2")
    left.invert_yaxis()
    left.set(xlabel="share of the capacity [%]", xlim=(0, 100), title="one packet in 2000 displaced")
    names = [f"{algorithm}, F-RTO" if frto else algorithm for algorithm, frto in cases]
    right.barh(names, [_flow(late[case])["retransmissions"] for case in cases], color="#d55e00")
    right.invert_yaxis()
    right.set(xlabel="packets sent again", title="ten spikes of the delay")
    return Report("spurious", "Late packets that look lost", tuple(checks), figure)


def _flow(result: Result) -> dict[str, float]:
    return result.flows.row(0, named=True)
