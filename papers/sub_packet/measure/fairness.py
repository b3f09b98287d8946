"""Sections 2.3.1 and 2.4.1: fairness over long and short times, and the buffers that would restore it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ackclock.papers import Context, Each, Holds, Measured, Undecidable, Values

from .study import SEEDS, Case, Outcome, by_seed, seeds, simulate_kinds

RATES_BIT_S = (256e3, 1e6, 2e6)
SHARES_KBIT_S = (2.5, 5, 10, 15, 20, 30, 40, 60, 100)
"""Fair shares of figure 2."""
FAIR = 0.9
"""Jain's index from which on we call flows fair to each other; the paper draws no line."""
ONSET_KBIT_S = 30
BUFFER_LOADS = (50, 100, 200, 400)
"""Flows over 1 Mbps in figure 5."""


@dataclass(frozen=True)
class Fairness:
    """Runs of figures 2 and 3, by kind of sender."""

    by_share: Mapping[str, Sequence[Outcome]]
    """Figure 2: a run per link rate, fair share and seed."""
    slices: Mapping[str, Sequence[Outcome]]
    """100 flows over 1 Mbps, a run per seed."""


def run(context: Context, algorithm: str = "sack") -> Fairness:
    """Figures 2 and 3, with senders of this algorithm."""
    rates = (1e6,) if context.quick else RATES_BIT_S
    long_s = 2000 if context.quick else 5000
    grid = [
        case
        for rate in rates
        for share in SHARES_KBIT_S
        for case in seeds(
            Case(flows=round(rate / (1e3 * share)), rate_bit_s=rate, seconds=long_s, algorithm=algorithm),
            1 if context.quick else SEEDS,
        )
    ]
    hundred = seeds(Case(algorithm=algorithm), 3 if context.quick else SEEDS)
    each = simulate_kinds(context, [*grid, *hundred])
    return Fairness(
        {kind: outcomes[: len(grid)] for kind, outcomes in each.items()},
        {kind: outcomes[len(grid) :] for kind, outcomes in each.items()},
    )


def claims(found: Fairness) -> dict[str, Measured]:
    """The statements of section 2.3.1, for either kind of sender."""
    measured: dict[str, Measured] = {}
    for kind in found.by_share:
        mine = _figure_2(found.by_share[kind]) | _figure_3(found.slices[kind])
        measured |= {f"{name}-{kind}": value for name, value in mine.items()}
    return measured


def _figure_2(outcomes: Sequence[Outcome]) -> dict[str, Measured]:
    crowded = [outcome for outcome in outcomes if outcome.case.flows >= 10]
    longer = [
        outcome.of_longer_slices(1) < outcome.of_longer_slices(5) < outcome.of_longer_slices(25)
        for outcome in crowded
        if outcome.short_term < FAIR
    ]
    at_1_mbps = by_seed(outcome for outcome in crowded if outcome.case.rate_bit_s == 1e6)
    largest = [mine[-1].short_term for mine in at_1_mbps]
    return {
        "goodput": Each(by_load(crowded, lambda outcome: 100 * outcome.goodput)),
        "long-term": Each(by_load(crowded, lambda outcome: outcome.long_term)),
        "onset": Values(
            [onset(mine) for mine in at_1_mbps], f"index {np.mean(largest):.2f} at the largest share run"
        ),
        "longer-slices": Holds(longer) if longer else Undecidable("no short-term unfairness at all"),
    }


def onset(outcomes: Sequence[Outcome]) -> float:
    """The largest fair share, in kbit/s, with a short-term index below `FAIR`, interpolated; NaN if none."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.case.fair_share_bit_s)
    shares = np.log([outcome.case.fair_share_bit_s / 1e3 for outcome in ordered])
    index = np.array([outcome.short_term for outcome in ordered])
    unfair = np.flatnonzero(index < FAIR)
    if unfair.size == 0:
        return float("nan")
    last = int(unfair[-1])
    if last + 1 == index.size:
        return float(np.exp(shares[-1]))
    return float(np.exp(np.interp(FAIR, index[last : last + 2], shares[last : last + 2])))


def _figure_3(outcomes: Sequence[Outcome]) -> dict[str, Measured]:
    most = [100 * float(1 - outcome.silent.min()) for outcome in outcomes]
    spread = [float(np.std(100 * outcome.silent)) for outcome in outcomes]
    return {
        "loss": Values([100 * outcome.loss for outcome in outcomes]),
        "most-active": Values(most),
        "locked-out": Values([100 * float(outcome.silent.mean()) for outcome in outcomes]),
        "top": Values([100 * float(outcome.part(0, 0.4).mean()) for outcome in outcomes]),
        "middle": Values([100 * float(outcome.part(0.4, 0.7).mean()) for outcome in outcomes]),
        "consistent": Values(spread),
        "repetitive": Values([100 * outcome.repeated / outcome.timeouts for outcome in outcomes]),
        "nobody-starves": Holds(
            [bool((outcome.got.sum(axis=0) > 0).all()) for outcome in outcomes],
            float(np.mean([outcome.long_term for outcome in outcomes])),
            "the number is Jain's index over 1000 s",
        ),
    }


def by_load(outcomes: Iterable[Outcome], number: Callable[[Outcome], float]) -> dict[str, list[float]]:
    """A number for each seed, by load."""
    found: dict[str, list[float]] = {}
    for outcome in outcomes:
        found.setdefault(_name(outcome), []).append(number(outcome))
    return found


def _name(outcome: Outcome) -> str:
    return f"{outcome.case.flows} flows over {outcome.case.rate_bit_s / 1e3:g} kbps"


PACKETS_PER_FLOW = (0.25, 0.5, 1, 2, 3, 5, 7, 10, 15)
DEEP = Case(flows=800, rate_bit_s=2e6, packet_bytes=1000)
"""The example of section 2.4.1."""


def run_buffers(context: Context, algorithm: str = "sack") -> dict[str, list[Outcome]]:
    """Figure 5: short-term fairness against the buffer, by kind of sender, with senders of this algorithm."""
    loads = (100,) if context.quick else BUFFER_LOADS
    ladder = (0.5, 3, 10) if context.quick else PACKETS_PER_FLOW
    cases = [Case(flows=flows, buffer=round(flows * each)) for flows in loads for each in ladder]
    cases += [replace(DEEP, buffer=round(800 * each)) for each in ((10,) if context.quick else ladder)]
    count = 1 if context.quick else SEEDS
    mine = [replace(case, algorithm=algorithm) for case in cases]
    return simulate_kinds(context, [case for each in mine for case in seeds(each, count)])


def needed(outcomes: Sequence[Outcome]) -> float:
    """The buffer at which slices become fair, in packets per flow; NaN if none of them does."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.case.buffer_packets)
    each = np.log([outcome.case.buffer_packets / outcome.case.flows for outcome in ordered])
    index = np.array([outcome.short_term for outcome in ordered])
    fair = np.flatnonzero(index >= FAIR)
    if fair.size == 0:
        return float("nan")
    first = max(int(fair[0]), 1)
    return float(np.exp(np.interp(FAIR, index[first - 1 : first + 1], each[first - 1 : first + 1])))


def claims_buffers(found: Mapping[str, Sequence[Outcome]]) -> dict[str, Measured]:
    """The statements of section 2.4.1, for either kind of sender."""
    measured: dict[str, Measured] = {}
    for kind, outcomes in found.items():
        ten = [o for o in outcomes if o.case.buffer_packets == 10 * o.case.flows]
        deep = [o for o in ten if o.case.flows == DEEP.flows]
        small = {
            (o.case.flows, o.case.seed): o for o in outcomes if 2 * o.case.buffer_packets == o.case.flows
        }
        larger = [(small[o.case.flows, o.case.seed], o) for o in ten if (o.case.flows, o.case.seed) in small]
        index, rtt_s = (np.mean([getattr(o, name) for o in deep]) for name in ("short_term", "mean_rtt_s"))
        rtt = f"index {index:.2f}, mean round trip {rtt_s:.1f} s"
        measured |= {
            f"ten-packets-{kind}": Each(by_load(ten, lambda outcome: outcome.short_term)),
            f"deep-delay-{kind}": Values([o.max_delay_s for o in deep], rtt),
            f"fairness-for-delay-{kind}": Holds(
                [b.short_term > a.short_term and b.mean_rtt_s > a.mean_rtt_s for a, b in larger]
            ),
        }
    return measured
