"""What a middlebox at the bottleneck can foresee of a flow: Chen et al., section 6.1.

It knows the aggregate loss rate and sees how many packets a flow sends in each epoch, a round-trip time; from
the model follows how likely the flow runs into a timeout, or into a repeated one, in the epochs to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ackclock.errors import InputError
from ackclock.models.chain import Transition, matrices
from ackclock.models.sub_packet import SubPacketModel

__all__ = ["FlowForecast", "Risk", "packets_per_epoch", "risk"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Risk:
    """Probabilities, one per loss rate."""

    timeout: Array
    """That a retransmission timer is started that will run out."""
    repeated: Array
    """That this happens while the timer is backed off: a repetitive timeout."""


def risk(
    loss: ArrayLike, state: str | ArrayLike, *, epochs: int = 1, model: SubPacketModel | None = None
) -> Risk:
    """How likely a flow hits a timeout within so many epochs.

    `loss` is the aggregate loss rate at the bottleneck, `state` the flow's state in the present epoch by its
    name in the model, or the probabilities of all of them. With `epochs = 1` it is the end of the present
    epoch that decides. Raises InputError for a state that the model does not have.
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
    """The probability of at least one of the counted transitions in so many steps."""
    others = matrices(model.states, [step for step in steps if step not in counted])
    at: Array = belief.ravel()
    for _ in range(epochs):
        at = np.asarray(others.T @ at)
    return np.asarray(1 - at.reshape(belief.shape).sum(axis=1) / belief.sum(axis=1))


def packets_per_epoch(
    times_s: ArrayLike, epoch_s: float, *, until_s: float | None = None
) -> NDArray[np.int64]:
    """How many packets were seen in each epoch from the first packet on, up to now (`until_s`)."""
    times = np.sort(np.asarray(times_s, dtype=np.float64))
    if times.size == 0 or epoch_s <= 0:
        raise InputError("there must be a packet, and epochs must be longer than zero")
    end = float(times[-1]) if until_s is None else until_s
    number = ((times - times[0]) / epoch_s).astype(np.int64)
    return np.bincount(number, minlength=int((end - times[0]) / epoch_s) + 1)


@dataclass
class FlowForecast:
    """Follows one flow by the packets it sends per epoch, and foresees its timeouts.

    A count of packets tells the state but for the depth of the back-off, which the silences before it tell:
    `observe` keeps the probability of every state given all counts so far.
    """

    loss: float
    model: SubPacketModel = field(default_factory=SubPacketModel)
    belief: Array = field(init=False)
    """The probability of each of the model's states in the present epoch."""

    def __post_init__(self) -> None:
        self.belief = self.model.at(self.loss).probability
        self._stationary = self.belief
        self._next = matrices(self.model.states, self.model.transitions(self.loss)).T
        self._counts = np.array([self.model.sends(state) for state in self.model.states])
        self._begun = False

    def observe(self, packets: int) -> None:
        """An epoch later, the flow has sent so many packets. More than w_max count as w_max."""
        expected = self._next @ self.belief if self._begun else self.belief
        self._begun = True
        fits = self._counts == min(packets, self.model.w_max)
        # A count that the rules do not allow here: the flow may be in any state with that count.
        known = np.where(fits, expected, 0.0)
        known = known if known.sum() > 0 else np.where(fits, self._stationary, 0.0)
        self.belief = known / known.sum()

    def risk(self, epochs: int = 1) -> Risk:
        """How likely a timeout is within so many epochs."""
        return risk(self.loss, self.belief, epochs=epochs, model=self.model)
