"""Section 4: the model's stationary probabilities and simulations, for every reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ackclock.models import SubPacketModel
from ackclock.papers import Context, Holds, Measured, Undecidable, Values

from .study import SEEDS, Case, Floats, Outcome, both, by_seed, first, seconds_of, seeds, simulate_kinds

LOADS = (15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 400)
QUICK_LOADS = (30, 70, 150, 300)
RATES_BIT_S = (200e3, 400e3, 600e3, 800e3, 1e6)
SHARES_KBIT_S = (4, 8, 15, 30)
RTTS_S = (0.215, 0.237, 0.262, 0.289, 0.304, 0.338, 0.361, 0.392)
"""Eight of propagation, between 200 and 400 ms (figure 11)."""
SHOWN = 6
"""Figure 9 has "0 sent" to "5 sent"."""
MEDIUM_LOSS = 0.1
"""From here on the paper says that the model agrees."""
RTO_MAX_S = 64
RED, SFQ = "red", "sfq"
"""Section 4 gives no parameters: the queues' own defaults."""

BASE = "full, failures of S_2(kr) to b*"
READINGS: dict[str, SubPacketModel] = {
    "approximate": SubPacketModel("approximate"),
    "full": SubPacketModel(),
    "full, simple timeouts from S_2 and S_3": SubPacketModel(small_windows="simple"),
    BASE: SubPacketModel(failed_second="base"),
    "full, split (ours)": SubPacketModel(failed_second="split"),
    "full, S_6 folds": SubPacketModel(top="fold"),
    "full, last wait of the one before": SubPacketModel(last_wait="previous"),
}
"""The readings of the text; the second is the first reading of each."""
COUNTER, SPLIT = "counter", "counter, split (ours)"


def readings(outcome: Outcome) -> dict[str, SubPacketModel]:
    """All of them, and the exact counter with the longest timeout that these flows have."""
    limit = max(RTO_MAX_S / outcome.mean_rtt_s, 4.0)
    counters = {
        COUNTER: SubPacketModel("counter", max_rto=limit),
        SPLIT: SubPacketModel("counter", max_rto=limit, failed_second="split"),
    }
    return {**READINGS, **counters}


@dataclass(frozen=True)
class Validation:
    """Runs with packets counted per epoch, by figure and kind of sender."""

    sets: Mapping[tuple[str, str], Sequence[Outcome]]

    def of(self, name: str, kind: str) -> Sequence[Outcome]:
        """The runs of one figure."""
        return self.sets[name, kind]

    def drawn(self, name: str, kind: str) -> Sequence[Outcome]:
        """Those of the first seed."""
        return first(self.sets[name, kind])


def run(context: Context) -> Validation:
    """Figures 9, 10, 11, and what section 4 adds without one."""
    seconds = 1000 if context.quick else 5000
    loads = QUICK_LOADS if context.quick else LOADS
    plain = [Case(flows=flows, seconds=seconds, epochs=True) for flows in loads]
    other = replace(plain[0], seconds=seconds_of(context))
    rates = [
        replace(other, flows=max(4, round(rate / 1e3 / share)), rate_bit_s=rate)
        for rate in (RATES_BIT_S[::2] if context.quick else RATES_BIT_S)
        for share in (SHARES_KBIT_S[1::2] if context.quick else SHARES_KBIT_S)
    ]
    some = loads[::2]
    sets = {
        "figure-9": plain,
        "figure-10": rates,
        "figure-11": [replace(other, flows=flows, rtts_s=RTTS_S) for flows in loads if flows >= 40],
        "rtts": [
            replace(other, flows=flows, rtts_s=(rtt,), buffer=round(250 * rtt))
            for flows in some
            for rtt in (0.1, 0.4)
        ],
        "red": [replace(other, flows=flows, queue=RED) for flows in some],
        "sfq": [replace(other, flows=flows, queue=SFQ) for flows in some],
    }
    count = 1 if context.quick else SEEDS
    sets = {name: [case for each in cases for case in seeds(each, count)] for name, cases in sets.items()}
    found = simulate_kinds(context, [case for cases in sets.values() for case in cases])
    return Validation(
        {
            (name, kind): [next(outcomes) for _ in cases]
            for kind, outcomes in ((kind, iter(mine)) for kind, mine in found.items())
            for name, cases in sets.items()
        }
    )


def mean_shares(outcome: Outcome) -> Floats:
    """The mean over flows of the share of epochs with 0 to 5 packets."""
    if outcome.shares is None:
        raise ValueError("packets per epoch were not counted")
    return np.asarray(outcome.shares[:, :SHOWN].mean(axis=0))


def quantiles(outcome: Outcome) -> tuple[Floats, Floats]:
    """The 10th and the 90th percentile over flows."""
    if outcome.shares is None:
        raise ValueError("packets per epoch were not counted")
    low, high = np.percentile(outcome.shares[:, :SHOWN], [10, 90], axis=0)
    return low, high


def distance(outcome: Outcome, model: SubPacketModel) -> float:
    """The mean absolute difference over "0 sent" to "5 sent", or to the model's largest window.

    NaN where the model says nothing.
    """
    if outcome.loss >= model.limit:
        return float("nan")
    shown = min(SHOWN, model.w_max + 1)
    return float(np.abs(mean_shares(outcome)[:shown] - model.at(outcome.loss).sent[:shown]).mean())


def inside(outcome: Outcome, model: SubPacketModel) -> list[bool]:
    """True if each of the six lies within the error bars."""
    low, high = quantiles(outcome)
    predicted = model.at(outcome.loss).sent[:SHOWN]
    return [bool(a <= x <= b) for a, x, b in zip(low, predicted, high, strict=True)]


def heavy(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those with a loss rate for which the paper says that the model agrees."""
    return [outcome for outcome in outcomes if outcome.loss >= MEDIUM_LOSS]


def claims(found: Validation) -> dict[str, Measured]:
    """The statements of section 4, for either kind of sender."""
    measured: dict[str, Measured] = {}
    model = READINGS["full"]
    for (name, kind), outcomes in found.sets.items():
        measured[f"{name}-{kind}"] = agreement(heavy(outcomes), model)
    for kind in both(Case()):
        outcomes = found.of("figure-9", kind)
        measured[f"error-bars-{kind}"] = Holds(
            [fits for outcome in heavy(outcomes) for fits in inside(outcome, model)]
        )
        measured[f"below-a-tenth-{kind}"] = _farther_below(outcomes, model)
    return measured


def _farther_below(outcomes: Sequence[Outcome], model: SubPacketModel) -> Measured:
    """True if the model is farther off below the loss rate from which it agrees than above, seed by seed."""
    pairs = [
        (
            [distance(one, model) for one in mine if one.loss < MEDIUM_LOSS],
            [distance(one, model) for one in heavy(mine)],
        )
        for mine in by_seed(outcomes)
    ]
    means = [(np.mean(rare), np.mean(often)) for rare, often in pairs if rare and often]
    if not means:
        return Undecidable("no load with so little loss was run")
    return Holds([bool(rare > often) for rare, often in means], float(np.mean([rare for rare, _ in means])))


def agreement(outcomes: Sequence[Outcome], model: SubPacketModel) -> Measured:
    """How far a model is from the runs of each seed, on average."""
    if not outcomes:
        return Undecidable("no load with so much loss was run")
    far = [distance(outcome, model) for outcome in outcomes]
    worst = outcomes[int(np.argmax(far))]
    runs = by_seed(outcomes)
    text = f"means over {len(runs[0])} loads; at most {max(far):.3f}, at a loss rate of {worst.loss:.3f}"
    return Values([float(np.mean([distance(one, model) for one in mine])) for mine in runs], text)


RANGES: dict[str, Callable[[float], bool]] = {
    "below 0.1": lambda loss: loss < MEDIUM_LOSS,
    "0.1 to 0.2": lambda loss: MEDIUM_LOSS <= loss < 0.2,
    "0.2 and above": lambda loss: loss >= 0.2,
}


def table(found: Validation) -> pl.DataFrame:
    """Which reading fits best: the mean distance by kind of sender and range of loss, a row per reading."""
    names = ("figure-9", "figure-10")
    rows = []
    for reading in (*READINGS, COUNTER, SPLIT):
        row: dict[str, object] = {"reading": reading}
        for kind in both(Case()):
            outcomes = [outcome for name in names for outcome in found.of(name, kind)]
            for title, belongs in RANGES.items():
                far = [distance(o, readings(o)[reading]) for o in outcomes if belongs(o.loss)]
                far = [value for value in far if value == value]
                row[f"{kind} {title}"] = f"{np.mean(far):.3f}" if far else ""
        rows.append(row)
    return pl.DataFrame(rows)


def by_load(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """A row per load of one figure and number of packets: simulated, the percentiles, and every reading."""
    rows = []
    for outcome in outcomes:
        low, high = quantiles(outcome)
        for sent, share in enumerate(mean_shares(outcome)):
            row: dict[str, object] = {
                "flows": outcome.case.flows,
                "rate_bit_per_s": outcome.case.rate_bit_s,
                "loss": outcome.loss,
                "sent": sent,
                "share": float(share),
                "low": float(low[sent]),
                "high": float(high[sent]),
            }
            for name, model in readings(outcome).items():
                known = outcome.loss < model.limit
                row[name] = float(model.at(outcome.loss).sent[sent]) if known else None
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def best(found: Validation, kind: str) -> list[tuple[str, float]]:
    """The readings by their mean distance over the loads of figures 9 and 10 with much loss."""
    outcomes = heavy(o for name in ("figure-9", "figure-10") for o in found.of(name, kind))
    means = {
        reading: float(np.mean([distance(outcome, readings(outcome)[reading]) for outcome in outcomes]))
        for reading in (*READINGS, COUNTER, SPLIT)
    }
    return sorted(means.items(), key=lambda item: item[1])
