"""Throughput against random loss: the square-root law, and the formula of Padhye et al.

One flow runs on a path that loses packets and never queues, so that the round-trip time is constant.

The square-root law (Mathis, Semke, Mahdavi and Ott, CCR 27(3), 1997): C / sqrt(b p) packets per round trip, b
packets per acknowledgment. Its constant depends on the pattern of losses, and here both patterns are tried:
- every 1/p-th packet is lost: C = sqrt(3/2) = 1.2247, the area under a sawtooth;
- each packet is lost by itself: C = 1.3098, integrated in `ackclock.models.random_constant`.

Tolerance of the law: it leaves out two round trips per loss, the one in which the loss becomes known and the
one of recovery. Losses are sqrt(b) / (C sqrt(p)) round trips apart, so this is the share 2 C sqrt(p / b). And
it counts fractions of packets, whereas TCP sends the whole packets that fit its window: a difference of one
packet. Both make the flow slower, so the law is rather too high. At b = 1 both together are 3.4 % at p = 1e-4
and 34 % at p = 1e-2, the largest loss rate compared. Beyond, the law must fail: at p = 0.1 the window is so
small that most losses end in a timeout of ten round trips, and the law promises more than twice what TCP
gets.

The formula of Padhye, Firoiu, Towsley and Kurose (IEEE/ACM Transactions on Networking 8(2), 2000, the full
model without a limit of the window) gives the sending rate of Reno with its timeouts. Its p counts loss
indications per packet sent, and so does the comparison. In it, losses in different round trips are
independent, but losses in one are not: the rest of a round trip is lost with the first packet. Tolerance: for
small p its constant is sqrt(3/2), so independent losses must come out 1.0695 times as fast, to within the two
round trips again; over the whole range the standard that is built on the formula promises a factor of two
(RFC 5348, section 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ackclock import Result
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.measures.verdict import Verdict
from ackclock.models import PERIODIC, mathis, padhye, random_constant
from ackclock.report.figures import new_figure
from verification.checks.runs import Settings, simulate_all
from verification.report import CONFIDENCE, Report

RTT_S = 0.1
RTO_S = 1.0
"""RFC 6298's minimum, which equals ten of these round trips."""

WARM_UP_S = 50


@dataclass(frozen=True)
class Case:
    """A flow, how it loses, and how its receiver acknowledges."""

    algorithm: str
    loss: float
    packets_per_ack: int
    is_periodic: bool = False

    def scenario(self, losses: int, seed: int) -> Settings:
        """Long enough for this many losses."""
        per_rtt = 1.2 / math.sqrt(self.packets_per_ack * self.loss)
        duration_s = WARM_UP_S + losses / self.loss / per_rtt * RTT_S
        if self.is_periodic:
            period = round(1 / self.loss)
            count = int(1.5 * losses + WARM_UP_S / RTT_S * per_rtt * 2 / period)
            loss: Settings = {"scripted": {"flow": 0, "packets": [k * period for k in range(1, count + 1)]}}
        else:
            loss = {"bernoulli": self.loss}
        link = {"from": "a", "to": "b", "rate": "100 Gbit/s", "delay": f"{RTT_S * 500:g} ms", "loss": loss}
        return {
            "name": "loss",
            "seed": seed,
            "warm_up": f"{WARM_UP_S} s",
            "duration": f"{duration_s:.0f} s",
            "topology": {"graph": {"link": [link]}},
            "tcp": {
                # The law with b packets per acknowledgment describes a TCP that counts acknowledgments.
                "algorithm": f"{self.algorithm}+reno(limit=1)",
                "segments_per_ack": self.packets_per_ack,
                "initial_ssthresh": "20 packets",
                "limited_transmit": self.algorithm != "reno",
            },
            "flow": [{"from": "a", "to": "b"}],
        }


@dataclass(frozen=True)
class Outcome:
    """Means over seeds, with their intervals."""

    case: Case
    window: Interval
    """Packets delivered per round trip without queueing."""
    over_padhye: Interval
    """The sending rate over that of the formula."""

    @property
    def constant(self) -> float:
        """Of the square-root law."""
        return PERIODIC if self.case.is_periodic else random_constant()

    @property
    def law(self) -> float:
        """Packets per round trip by the square-root law."""
        case = self.case
        return float(mathis(case.loss, b=case.packets_per_ack, constant=self.constant))

    @property
    def slack(self) -> float:
        """The relative tolerance of the law: two round trips per loss, and a packet."""
        return self.slack_of(self.case.loss, self.case.packets_per_ack, self.constant)

    @staticmethod
    def slack_of(loss: float, packets_per_ack: int, constant: float) -> float:
        """As derived above."""
        lost = 2 * constant * math.sqrt(loss / packets_per_ack)
        return lost + math.sqrt(packets_per_ack * loss) / constant

    @property
    def name(self) -> str:
        """For people."""
        how = "every 1/p-th" if self.case.is_periodic else "random"
        return f"{self.case.algorithm}, p = {self.case.loss:g}, b = {self.case.packets_per_ack}, {how}"


def _outcome(case: Case, results: Sequence[Result]) -> Outcome:
    windows, ratios = [], []
    for result in results:
        flow = result.flows.row(0, named=True)
        windows.append(flow["goodput_bit_per_s"] / (1460 * 8) * RTT_S)
        # A timeout that fails is repeated, with probability p each time; the sequence is one indication.
        indications = flow["fast_retransmits"] + flow["timeouts"] * (1 - case.loss)
        rate = indications / flow["packets_sent"]
        formula = float(padhye(rate, rtt_s=flow["mean_rtt_s"], rto_s=RTO_S, b=case.packets_per_ack))
        ratios.append(flow["packets_sent"] / result.finished_at_s / formula)
    return Outcome(case, mean_interval(windows, CONFIDENCE), mean_interval(ratios, CONFIDENCE))


def _losses(case: Case, quick: bool) -> int:
    """The number of losses to wait for, within this many packets."""
    return round(min(2000, (3e5 if quick else 3e6) * case.loss))


def verify(*, quick: bool) -> Report:
    """Carries out the experiment over loss rates from 1e-4 to 1e-1."""
    rates = [1e-3, 1e-2, 1e-1] if quick else [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
    seeds = range(1, 11)
    periodic = [Case("sack", p, b, is_periodic=True) for b in (1, 2) for p in rates if p <= 1e-2]
    independent = [Case(a, p, b) for a in ("sack", "reno") for b in (1, 2) for p in rates]
    jobs = [(case, seed) for case in periodic for seed in (1,)] + [(c, s) for c in independent for s in seeds]
    found: dict[Case, list[Result]] = {}
    for (case, _), result in zip(
        jobs, simulate_all([case.scenario(_losses(case, quick), seed) for case, seed in jobs]), strict=True
    ):
        found.setdefault(case, []).append(result)
    outcomes = [_outcome(case, results) for case, results in found.items()]

    figure, (law, formula) = new_figure(1, 2, height=3.2)
    _draw_law(law, [o for o in outcomes if o.case.algorithm == "sack"])
    _draw_ratios(formula, [o for o in outcomes if o.case.algorithm == "reno"])
    return Report("loss-response", "Throughput against loss", tuple(_checks(outcomes)), figure)


def _checks(outcomes: Sequence[Outcome]) -> list[Verdict]:
    checks = [Verdict.near("the law's constant for independent losses", random_constant(), 1.31, 0.005, 5)]
    for outcome in outcomes:
        case, slack = outcome.case, outcome.slack
        if case.algorithm == "sack" and case.loss <= 1e-2:
            wide = 0.0 if case.is_periodic else outcome.window.half_width
            checks.append(
                Verdict.near(
                    f"packets per round trip, {outcome.name}",
                    outcome.window.estimate,
                    outcome.law,
                    wide + slack * outcome.law,
                )
            )
        if case.algorithm == "reno":
            ratio = outcome.over_padhye
            if case.loss <= 1e-3:
                constant = random_constant() / PERIODIC
                checks.append(
                    Verdict.agrees(
                        f"rate over Padhye et al., {outcome.name}", ratio, constant, slack * constant
                    )
                )
            else:
                checks.append(
                    Verdict.within(f"rate over Padhye et al., {outcome.name}", ratio.estimate, 0.5, 2)
                )
            if case.loss >= 0.1:
                promised = outcome.law / outcome.window.estimate
                checks.append(
                    Verdict.within(f"square-root law over rate, {outcome.name}", promised, 2, math.inf)
                )
    return checks


def _draw_law(axis: Axes, outcomes: Sequence[Outcome]) -> None:
    line = np.geomspace(7e-5, 1e-2, 50)
    slack = np.array([Outcome.slack_of(p, 1, random_constant()) for p in line])
    low, high = PERIODIC * (1 - slack), random_constant() * (1 + slack)
    axis.fill_between(line, low, high, color="#eeeeee", label="tolerance, b = 1")
    for constant, dash in ((random_constant(), "-"), (PERIODIC, (0, (4, 2)))):
        axis.axhline(constant, color="#444444", linestyle=dash, linewidth=0.9)
    for b, colour in ((1, "#0072b2"), (2, "#d55e00")):
        for is_periodic, marker in ((False, "o"), (True, "s")):
            mine = [o for o in outcomes if (o.case.packets_per_ack, o.case.is_periodic) == (b, is_periodic)]
            scale = [math.sqrt(b * o.case.loss) for o in mine]
            axis.errorbar(
                [o.case.loss for o in mine],
                [o.window.estimate * x for o, x in zip(mine, scale, strict=True)],
                None if is_periodic else [o.window.half_width * x for o, x in zip(mine, scale, strict=True)],
                fmt=marker,
                color=colour,
                markersize=4,
                markerfacecolor="none" if is_periodic else colour,
                capsize=2,
                label=f"b = {b}, {'every 1/p-th' if is_periodic else 'independent'}",
            )
    axis.set(xscale="log", xlabel="loss probability p", ylim=(0.4, 1.85))
    axis.set_ylabel("packets per round trip × √(b p)")
    axis.set_title("SACK and the square-root law")
    axis.legend(loc="lower left")


def _draw_ratios(axis: Axes, outcomes: Sequence[Outcome]) -> None:
    axis.axhspan(0.5, 2, color="#eeeeee")
    axis.axhline(1, color="#444444")
    axis.axhline(random_constant() / PERIODIC, color="#444444", linestyle=(0, (4, 2)))
    for b, colour in ((1, "#0072b2"), (2, "#d55e00")):
        mine = [o for o in outcomes if o.case.packets_per_ack == b]
        rates = [o.case.loss for o in mine]
        axis.errorbar(
            rates,
            [o.over_padhye.estimate for o in mine],
            [o.over_padhye.half_width for o in mine],
            fmt="o",
            color=colour,
            capsize=2,
            label=f"over Padhye et al., b = {b}",
        )
        axis.plot(
            rates,
            [o.window.estimate / o.law for o in mine],
            "x",
            color=colour,
            label=f"over the square-root law, b = {b}",
        )
    axis.set(
        xscale="log", yscale="log", xlabel="loss probability p", ylabel="simulated / formula", ylim=(0.2, 3)
    )
    axis.set_yticks([0.25, 0.5, 1, 2], ["1/4", "1/2", "1", "2"])
    axis.minorticks_off()
    axis.set_title("Reno and both formulas")
    axis.legend(loc="lower left")
