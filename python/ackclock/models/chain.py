"""Markov chains whose transition probabilities are arrays over a parameter; stationary distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import spsolve

__all__ = ["Transition", "matrices", "stationary"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Transition:
    """A transition from one state to another."""

    source: str
    target: str
    probability: Array
    """One per value of the parameter."""
    because: str
    """The sentence or equation of the source from which the transition follows."""
    timeout: bool = False
    """True if a retransmission timer starts that will expire."""
    repeated: bool = False
    """True if that timer is backed off."""


def matrices(states: Sequence[str], transitions: Sequence[Transition]) -> sparse.csr_array:
    """The block-diagonal matrix of the transition matrices for all values of the parameter."""
    number = {state: index for index, state in enumerate(states)}
    count = transitions[0].probability.size
    first = np.arange(count) * len(states)
    rows = np.concatenate([first + number[transition.source] for transition in transitions])
    columns = np.concatenate([first + number[transition.target] for transition in transitions])
    values = np.concatenate([transition.probability.ravel() for transition in transitions])
    size = count * len(states)
    return sparse.csr_array((values, (rows, columns)), shape=(size, size))


def stationary(states: Sequence[str], transitions: Sequence[Transition]) -> Array:
    """The stationary distribution for each value of the parameter, a row each.

    Solves pi P = pi with the probabilities adding up to one, for all values in one sparse system (SuperLU).
    Only one class of states may be recurrent.
    """
    balance = matrices(states, transitions).T.tocoo()
    size, per_chain = balance.shape[0], len(states)
    # One balance equation of each chain follows from the others; the sum of probabilities takes its place.
    kept = balance.row % per_chain > 0
    own = np.arange(size)
    own = own[own % per_chain > 0]
    everyone = np.arange(size)
    rows = np.concatenate([balance.row[kept], own, everyone - everyone % per_chain])
    columns = np.concatenate([balance.col[kept], own, everyone])
    values = np.concatenate([balance.data[kept], -np.ones(own.size), np.ones(size)])
    total = (everyone % per_chain == 0).astype(np.float64)
    equations = sparse.csc_array((values, (rows, columns)), shape=(size, size))
    return np.asarray(spsolve(equations, total), dtype=np.float64).reshape(-1, per_chain)
