"""Section 5: the model adjusted for Early Retransmit, compared with senders that use it.

RFC 5827 is for senders that have fewer than four packets in flight and may send nothing new. Only the
receiver's window can keep flows that always have data from sending: one of three packets does. The model has
the same limit, and one duplicate is enough for its fast retransmits, so that windows of two and three packets
recover from a loss. The model without the adjustment is shown, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ackclock.models import SubPacketModel
from ackclock.papers import Context, Measured, Ordered, Undecidable

from . import validation
from .study import SEEDS, Case, Outcome, by_seed, seeds, simulate_kinds

EARLY = (("tcp.early_retransmit", True),)
WINDOW = 3
"""Packets: those of the receiver's window, and of the model's largest."""
LIMITED = (("tcp.receive_window", f"{WINDOW} packets"),)
SENDERS: Mapping[str, tuple[tuple[str, object], ...]] = {"without": LIMITED, "with": (*LIMITED, *EARLY)}
"""Settings without Early Retransmit and with it."""
MODELS = {"plain": SubPacketModel(w_max=WINDOW), "adjusted": SubPacketModel(w_max=WINDOW, duplicates=1)}

Runs = Mapping[str, Mapping[str, Sequence[Outcome]]]
"""By kind of sender, without and with."""


def run(context: Context) -> Runs:
    """Every second load of figure 9."""
    loads = validation.QUICK_LOADS if context.quick else validation.LOADS[::2]
    count = 1 if context.quick else SEEDS
    cases = [
        (name, case)
        for name, settings in SENDERS.items()
        for flows in loads
        for case in seeds(Case(flows=flows, epochs=True, settings=settings), count)
    ]
    found = simulate_kinds(context, [case for _, case in cases])
    return {
        kind: {
            name: [one for (its, _), one in zip(cases, outcomes, strict=True) if its == name]
            for name in SENDERS
        }
        for kind, outcomes in found.items()
    }


def claims(found: Runs) -> dict[str, Measured]:
    """How far either model is from senders with Early Retransmit, and whether the adjusted one is nearer."""
    measured: dict[str, Measured] = {}
    for kind, by_name in found.items():
        heavy = validation.heavy(by_name["with"])
        measured[f"early-retransmit-off-{kind}"] = validation.agreement(heavy, MODELS["adjusted"])
        measured[f"early-retransmit-nearer-{kind}"] = (
            Ordered(
                {
                    name: [
                        float(np.mean([validation.distance(one, model) for one in mine]))
                        for mine in by_seed(heavy)
                    ]
                    for name, model in MODELS.items()
                }
            )
            if heavy
            else Undecidable("no load with so much loss was run")
        )
    return measured


def table(found: Runs) -> pl.DataFrame:
    """A row per kind of sender, load, and Early Retransmit or not: means over seeds."""
    rows = []
    for kind, by_name in found.items():
        for name, outcomes in by_name.items():
            for flows in dict.fromkeys(one.case.flows for one in outcomes):
                mine = [one for one in outcomes if one.case.flows == flows]
                rows.append(
                    {
                        "senders": kind,
                        "flows": flows,
                        "Early Retransmit": name,
                        "loss": f"{np.mean([one.loss for one in mine]):.3f}",
                        "timeouts": round(float(np.mean([one.timeouts for one in mine]))),
                        **{
                            f"{model} model, distance": f"{_mean_distance(mine, its):.3f}"
                            for model, its in MODELS.items()
                        },
                    }
                )
    return pl.DataFrame(rows)


def _mean_distance(outcomes: Sequence[Outcome], model: SubPacketModel) -> float:
    return float(np.mean([validation.distance(one, model) for one in outcomes]))
