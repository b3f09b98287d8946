"""The responses of a sweep together: correlation, principal components, and clusters of algorithms.

A response is a metric; an observation is a point with an algorithm, its mean over seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["Components", "clusters", "correlation", "linkage", "observations", "principal_components"]

Floats = NDArray[np.float64]
LEAST = 3
"""The least number of observations."""


def observations(sweep: SweepRecord) -> pl.DataFrame:
    """A row per point and label, a column per response that every observation has and that varies."""
    wide = sweep.summary.pivot("metric", index=["point", "label"], values="mean", maintain_order=True)
    names = [
        name
        for name in wide.columns[2:]
        if wide[name].is_not_null().all() and wide[name].is_finite().all() and (wide[name].n_unique() > 1)
    ]
    if len(names) < 2 or wide.height < LEAST:
        raise InputError(f"responses: expected two that vary over {LEAST} points or more")
    return wide.select("point", "label", *names)


def _standardised(table: pl.DataFrame) -> Floats:
    values = table.drop("point", "label").to_numpy()
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))


def correlation(sweep: SweepRecord) -> pl.DataFrame:
    """Pearson's correlation of each pair of responses: a row and a column for each."""
    table = observations(sweep)
    names = table.columns[2:]
    values = np.asarray(np.corrcoef(_standardised(table), rowvar=False))
    columns = {name: values[:, place] for place, name in enumerate(names)}
    return pl.DataFrame({"response": names, **columns})


@dataclass(frozen=True)
class Components:
    """Principal components of the standardised responses."""

    explained: pl.DataFrame
    """A row per component: its share of the variance."""
    loadings: pl.DataFrame
    """A row per response, a column per component: their correlation."""
    scores: pl.DataFrame
    """A row per point and label, a column per component."""


def principal_components(sweep: SweepRecord) -> Components:
    """The principal components, largest variance first; the largest loading of each is positive."""
    table = observations(sweep)
    values = _standardised(table)
    left, singular, right = np.linalg.svd(values, full_matrices=False)
    signs = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    names = [f"PC{number}" for number in range(1, len(singular) + 1)]
    deviations = singular / np.sqrt(len(values) - 1)
    loadings, scores = (right.T * signs) * deviations, left * signs * singular
    shares = singular**2 / (singular**2).sum()
    return Components(
        pl.DataFrame({"component": names, "share": shares}),
        pl.DataFrame({"response": table.columns[2:], **dict(zip(names, loadings.T.tolist(), strict=True))}),
        table.select("point", "label").with_columns(
            **{name: pl.Series(column) for name, column in zip(names, scores.T.tolist(), strict=True)}
        ),
    )


def clusters(sweep: SweepRecord) -> pl.DataFrame:
    """Ward's hierarchical clustering of the algorithms: a row per merger, the nearest first.

    `first` and `second` are the algorithms of the two clusters that are joined at the `distance`; `size` is
    the number of algorithms in both. Raises InputError for fewer than two algorithms.
    """
    labels, tree = linkage(sweep)
    members = [[label] for label in labels]
    rows = []
    for one, other, distance, size in tree.tolist():
        both = members[int(one)], members[int(other)]
        members.append([*both[0], *both[1]])
        rows.append((*both, distance, int(size)))
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "first": pl.List(pl.String),
        "second": pl.List(pl.String),
        "distance": pl.Float64,
        "size": pl.UInt32,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def linkage(sweep: SweepRecord) -> tuple[list[str], Floats]:
    """The algorithms, and Ward's hierarchical clustering of them as SciPy's linkage matrix.

    The distance of two algorithms is that of their standardised responses at all points.
    """
    from scipy.cluster import hierarchy  # noqa: PLC0415 - takes a moment to load

    table = observations(sweep)
    labels = list(sweep.plan.algorithms)
    if len(labels) < 2:
        raise InputError(f"clusters: found {len(labels)} algorithm; expected two or more")
    values = _standardised(table)
    rows = [values[table["label"].to_numpy() == label].ravel() for label in labels]
    return labels, np.asarray(hierarchy.linkage(np.array(rows), method="ward"))
