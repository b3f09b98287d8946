"""Prediction of a flow's timeouts by a middlebox at the bottleneck: Chen et al., section 6.1.

In each epoch, a round-trip time, the middlebox measures the aggregate loss rate and counts the packets of a
flow. The model then gives the probability of a timeout, and of a repetitive one, in the next epochs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.arguments import checked
from ackclock.errors import InputError
from ackclock.models.chain import Transition, matrices
from ackclock.models.sub_packet import SubPacketModel

__all__ = ["FlowForecast", "Risk", "beliefs", "packets_per_epoch", "risk"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Risk:
    """Probabilities, one per loss rate."""

    timeout: Array
    """The probability that a retransmission timer starts that will expire."""
    repeated: Array
    """The probability that this happens with a backed-off timer: a repetitive timeout."""


@checked
def risk(
    loss: ArrayLike, state: str | ArrayLike, *, epochs: int = 1, model: SubPacketModel | None = None
) -> Risk:
    """The probability that a flow has a timeout within `epochs` epochs.

    `loss` is the aggregate loss rate at the bottleneck, `state` the flow's state in the present epoch by its
    name in the model, or the probabilities of all states. `epochs = 1` covers the end of the present epoch.
    Raises InputError for a state that the model does not have.
    """
    model = model or SubPacketModel()
    p = model.check(loss)
    steps = model.transitions(p)
    belief = _belief(model, state, p.size)
    timeouts = [step for step in steps if step.timeout]
    repeated = [step for step in timeouts if step.repeated]
    return Risk(
        _within(model, steps, timeouts, belief, epochs).reshape(p.shape),
        _within(model, steps, repeated, belief, epochs).reshape(p.shape),
    )


def _belief(model: SubPacketModel, state: str | ArrayLike, count: int) -> Array:
    if isinstance(state, str):
        model.sends(state)
        return np.tile(np.array([float(name == state) for name in model.states]), (count, 1))
    given = np.atleast_2d(np.asarray(state, dtype=np.float64))
    if given.shape[1] != len(model.states):
        raise InputError(
            f"{given.shape[1]} probabilities were given; the model has {len(model.states)} states"
        )
    return np.broadcast_to(given, (count, len(model.states))).copy()


def _within(
    model: SubPacketModel,
    steps: Sequence[Transition],
    counted: Sequence[Transition],
    belief: Array,
    epochs: int,
) -> Array:
    """The probability of at least one of the counted transitions within `epochs` steps."""
    others = matrices(model.states, [step for step in steps if step not in counted])
    at: Array = belief.ravel()
    for _ in range(epochs):
        at = np.asarray(others.T @ at)
    return np.asarray(1 - at.reshape(belief.shape).sum(axis=1) / belief.sum(axis=1))


@checked
def packets_per_epoch(
    times_s: ArrayLike, epoch_s: float, *, until_s: float | None = None
) -> NDArray[np.int64]:
    """The number of packets in each epoch, from the first packet up to now (`until_s`)."""
    times = np.sort(np.asarray(times_s, dtype=np.float64))
    if times.size == 0 or epoch_s <= 0:
        raise InputError("there must be a packet, and epochs must be longer than zero")
    end = float(times[-1]) if until_s is None else until_s
    number = ((times - times[0]) / epoch_s).astype(np.int64)
    return np.bincount(number, minlength=int((end - times[0]) / epoch_s) + 1)


class _Counting:
    """The states of flows by counts of their packets: the model's rules at one loss rate, as matrices."""

    def __init__(self, model: SubPacketModel, loss: float) -> None:
        self.stationary = model.at(loss).probability
        self._next = matrices(model.states, model.transitions(loss)).toarray()
        self._sends = np.array([model.sends(state) for state in model.states])
        self._most = model.w_max

    def following(self, belief: Array) -> Array:
        """The probabilities of the states in the next epoch, of each flow."""
        return np.asarray(belief @ self._next)

    def given(self, expected: Array, packets: ArrayLike) -> Array:
        """The probabilities of the states once the packets of the epoch are counted, of each flow."""
        fits = self._sends == np.minimum(np.asarray(packets), self._most)[..., None]
        known = np.where(fits, expected, 0.0)
        # After a count that the model's rules do not allow here, any state with that count is possible.
        possible = known.sum(axis=-1, keepdims=True) > 0
        known = np.where(possible, known, np.where(fits, self.stationary, 0.0))
        return np.asarray(known / known.sum(axis=-1, keepdims=True))


@checked
def beliefs(counts: ArrayLike, loss: float, model: SubPacketModel | None = None) -> Array:
    """The probabilities of the model's states after each epoch, for many flows at once.

    `counts` has a row per epoch and a column per flow; the states are the last axis. The result for each flow
    is that of `FlowForecast`.
    """
    model = model or SubPacketModel()
    rules = _Counting(model, loss)
    found = []
    expected = rules.stationary
    for row in np.asarray(counts):
        found.append(rules.given(expected, row))
        expected = rules.following(found[-1])
    return np.array(found)


@dataclass
class FlowForecast:
    """Estimates the state of one flow from its packets per epoch, and predicts its timeouts.

    A count of packets determines the state except for the depth of the back-off, which follows from the
    silences before: `observe` updates the probability of every state given all counts.
    """

    loss: float
    model: SubPacketModel = field(default_factory=SubPacketModel)
    belief: Array = field(init=False)
    """The probability of each of the model's states in the present epoch."""

    def __post_init__(self) -> None:
        self._rules = _Counting(self.model, self.loss)
        self.belief = self._rules.stationary
        self._begun = False

    def observe(self, packets: int) -> None:
        """Updates the belief with the packets of the next epoch; more than w_max count as w_max."""
        expected = self._rules.following(self.belief) if self._begun else self.belief
        self._begun = True
        self.belief = self._rules.given(expected, packets)

    def risk(self, epochs: int = 1) -> Risk:
        """The probability of a timeout within `epochs` epochs."""
        return risk(self.loss, self.belief, epochs=epochs, model=self.model)
