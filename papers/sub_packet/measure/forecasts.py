"""Section 6.1: a middlebox forecasts the stalls of flows, held against the packets that the flows then send.

A middlebox at the bottleneck counts the packets of each flow that reach it in each of the flow's round
trips, dropped ones too. From these counts and the loss rate of the link the model forecasts the probability
that a flow that sends in an epoch is silent in the next one, and that it is silent because of a timer that
was backed off already. Packets decide: the next epoch is silent or not. By the paper a timer that was backed
off waits for three epochs at least (3.3.2), so that a silence of three epochs counts as one of those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result, run
from ackclock.measures.statistics import mean_interval
from ackclock.models import SubPacketModel, beliefs, risk
from ackclock.papers import Context, Each, Measured, ProgressCallback, Undecidable

from .study import WARM_UP_S, Case, Floats, both, seeds
from .study import outcome as outcome_of

LOADS = (70, 100, 150, 200, 300)
QUICK_LOADS = (100, 300)
SECONDS = 400
"""Some thousand epochs of each flow."""
MEDIUM_LOSS = 0.1
"""From here on the paper says that the model agrees."""
REPEATED_EPOCHS = 3
"""The least number of silent epochs before a timer expires that was backed off (3.3.2)."""
BINS = 10
"""Of forecasts, for how often what is forecast comes."""
EVENTS = ("timeout", "repeated")
"""Those that are judged."""
SOON_EPOCHS = 5
"""The horizon of a third event, for the table: a silence that begins within this many epochs."""


class Score(NamedTuple):
    """The forecasts of one event, over all epochs in which flows send."""

    said: Floats
    """The mean forecast in each tenth of the probabilities; NaN where none was made."""
    came: Floats
    """The share of them that came true."""
    made: Floats
    """The number of forecasts."""
    skill: float
    """Brier's: the part of the squared error of the mean frequency that the forecasts take away."""

    @property
    def frequency(self) -> float:
        """The share of epochs in which it came."""
        return float(np.nansum(self.came * self.made) / self.made.sum())

    @property
    def mean(self) -> float:
        """The mean forecast."""
        return float(np.nansum(self.said * self.made) / self.made.sum())

    @property
    def off(self) -> float:
        """By how much forecast and frequency differ, averaged over forecasts."""
        return float(np.nansum(np.abs(self.said - self.came) * self.made) / self.made.sum())

    @property
    def bias(self) -> float:
        """The mean forecast less the frequency."""
        return self.mean - self.frequency


@dataclass(frozen=True)
class Forecasts:
    """One run."""

    case: Case
    loss: float
    scores: Mapping[str, Score]


Runs = Mapping[str, Mapping[int, Sequence[Forecasts]]]
"""By kind of sender and number of flows, a run per seed."""
LIMITED_TRANSMIT = (True, False)
"""RFC 3042, ns-2's default, of which the paper says nothing and which its model does not have."""


def run_all(context: Context) -> dict[bool, Runs]:
    """Every load, with either kind of sender, with limited transmit and without."""
    loads = QUICK_LOADS if context.quick else LOADS
    cases = {
        (limited, kind, flows, case.seed): replace(case, settings=(("tcp.limited_transmit", limited),))
        for limited in LIMITED_TRANSMIT
        for flows in loads
        for kind, plain in both(Case(flows=flows, seconds=SECONDS)).items()
        for case in seeds(plain, 2 if context.quick else 10)
    }

    def work(case: Case, told: ProgressCallback) -> Forecasts:
        users = (case.flows + 1) // 2
        ways = [f"src{user}->left" for user in range(1, users + 1)]
        case = replace(case, settings=(*case.settings, ("trace.packets", ways)))
        return forecast(case, run(case.scenario(context), progress=told))

    items = [(float(case.seconds * case.flows), case) for case in cases.values()]
    found = dict(zip(cases, context.each(items, work), strict=True))
    return {
        limited: {
            kind: {
                flows: [one for key, one in found.items() if key[:3] == (limited, kind, flows)]
                for flows in loads
            }
            for kind in both(Case())
        }
        for limited in LIMITED_TRANSMIT
    }


def forecast(case: Case, result: Result) -> Forecasts:
    """Forecasts after every epoch of every flow, and what came of them."""
    seen = outcome_of(case, result)
    counts = packets(result, case.flows)
    model = SubPacketModel()
    believed = beliefs(counts, seen.loss, model)
    by_state = risk(np.full(len(model.states), seen.loss), np.eye(len(model.states)), model=model)
    later = risk(
        np.full(len(model.states), seen.loss), np.eye(len(model.states)), epochs=SOON_EPOCHS, model=model
    )
    stalls = silences(counts)
    last = counts.shape[0] - SOON_EPOCHS
    begins = (counts > 0) & (stalls >= 1)
    soon = np.any([begins[ahead : ahead + last] for ahead in range(SOON_EPOCHS)], axis=0)
    sends = counts[:last] > 0
    scores = {
        "timeout": score((believed[:last] @ by_state.timeout)[sends], (stalls[:last] >= 1)[sends]),
        "repeated": score(
            (believed[:last] @ by_state.repeated)[sends], (stalls[:last] >= REPEATED_EPOCHS)[sends]
        ),
        "soon": score((believed[:last] @ later.timeout)[sends], soon[sends]),
    }
    return Forecasts(case, seen.loss, scores)


def packets(result: Result, flows: int) -> NDArray[np.int64]:
    """The packets of data that reach the bottleneck: a row per epoch after the warm-up, a column per flow.

    An epoch is a mean round trip of the flow, or of all flows where it has none. All flows have as many as
    the one with the longest.
    """
    own_s = result.flows.sort("flow")["mean_rtt_s"].to_numpy()
    epoch_s = np.where(np.isnan(own_s), np.nanmean(own_s), own_s)
    table = result.packets.filter((pl.col("kind") == "data") & (pl.col("time_s") >= WARM_UP_S))
    flow = table["flow"].to_numpy()
    epoch = ((table["time_s"].to_numpy() - WARM_UP_S) / epoch_s[flow]).astype(np.int64)
    count = int((result.scenario.duration_s - WARM_UP_S) / epoch_s.max())
    inside = epoch < count
    place = epoch[inside] * flows + flow[inside]
    return np.bincount(place, minlength=count * flows).reshape(count, flows)


def silences(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of silent epochs that follow each epoch directly; those at the end go no further."""
    found = np.zeros_like(counts)
    for epoch in range(counts.shape[0] - 2, -1, -1):
        found[epoch] = np.where(counts[epoch + 1] == 0, found[epoch + 1] + 1, 0)
    return found


def score(said: Floats, came: NDArray[np.bool_]) -> Score:
    """How good forecasts are."""
    tenth = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(tenth, minlength=BINS).astype(float)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(tenth, said, minlength=BINS) / count
        share = np.bincount(tenth, came.astype(float), minlength=BINS) / count
    unskilled = float(np.mean((came - came.mean()) ** 2))
    skill = 1 - float(np.mean((said - came) ** 2)) / unskilled if unskilled > 0 else float("nan")
    return Score(mean, share, count, skill)


def claims(found: Runs) -> dict[str, Measured]:
    """The uses of the model by section 6.1, with either kind of sender; with ns-2's limited transmit."""
    measured: dict[str, Measured] = {}
    for kind, by_load in found.items():
        heavy = {
            f"{flows} flows": runs
            for flows, runs in by_load.items()
            if np.mean([one.loss for one in runs]) >= MEDIUM_LOSS
        }
        for event in EVENTS:
            if not heavy:
                measured[f"forecast-{event}-skill-{kind}"] = Undecidable("no load with so much loss")
                measured[f"forecast-{event}-true-{kind}"] = Undecidable("no load with so much loss")
                continue
            scores = {name: [one.scores[event] for one in runs] for name, runs in heavy.items()}
            every = [one for mine in scores.values() for one in mine]
            bias = float(np.mean([one.bias for one in every]))
            skill = float(np.mean([one.skill for one in every]))
            measured[f"forecast-{event}-skill-{kind}"] = Each(
                {name: [one.skill for one in mine] for name, mine in scores.items()},
                f"mean skill {skill:+.3f}",
            )
            measured[f"forecast-{event}-true-{kind}"] = Each(
                {name: [one.off for one in mine] for name, mine in scores.items()},
                f"forecasts are {bias:+.3f} off on average",
            )
    return measured


TITLES = {
    "timeout": "silence in the next epoch",
    "repeated": "silence in the next three epochs",
    "soon": "silence within five epochs",
}


def table(found: Mapping[bool, Runs]) -> pl.DataFrame:
    """A row per kind of sender, limited transmit or not, load and event."""
    rows = []
    for limited, kind, by_load in (
        (limited, kind, by_load) for limited, runs in found.items() for kind, by_load in runs.items()
    ):
        for flows, runs in by_load.items():
            for event, title in TITLES.items():
                mine = [one.scores[event] for one in runs]
                rows.append(
                    {
                        "senders": kind,
                        "limited transmit": "yes" if limited else "no",
                        "flows": flows,
                        "loss": f"{np.mean([one.loss for one in runs]):.3f}",
                        "event": title,
                        "frequency": interval([one.frequency for one in mine]),
                        "mean forecast": interval([one.mean for one in mine]),
                        "off": interval([one.off for one in mine]),
                        "skill": interval([one.skill for one in mine]),
                    }
                )
    return pl.DataFrame(rows)


def interval(values: Sequence[float]) -> str:
    """A mean with the half width of its interval."""
    found = mean_interval(values)
    return f"{found.estimate:.3f} ± {found.half_width:.3f}"
