"""Metrics by the names that people write: `goodput` for `goodput_bit_per_s`, and quantities with units."""

from __future__ import annotations

import re

from ackclock.errors import InputError, unknown
from ackclock.measures import metrics

__all__ = ["in_base_units", "named"]

ENDINGS = ("_bit_per_s", "_packets", "_share", "_s")
"""The unit at the end of a metric's name, which may be left out."""

PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
SECONDS = {"h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([^\d\s].*)?", re.IGNORECASE)


def short(key: str) -> str:
    """The metric's name without its unit."""
    ending = next((ending for ending in ENDINGS if key.endswith(ending)), "")
    return key.removesuffix(ending)


def named(text: str) -> metrics.Metric:
    """The metric of a name, with its unit or without. Raises InputError for another name."""
    name = text.strip()
    for metric in metrics.METRICS:
        if name in (metric.key, short(metric.key)):
            return metric
    raise unknown("metric", name, [short(key) for key in metrics.KEYS])


def in_base_units(metric: metrics.Metric, text: str) -> float:
    """A number in the metric's base unit: `0.9`, `5 Mbit/s` or `5 Mbps`, `20 ms`, `2 %`. Raises InputError.

    A number without a unit is in base units: bit/s, s, packets, shares of one.
    """
    found = NUMBER.fullmatch(text)
    if found is None:
        raise InputError(f'{short(metric.key)}: "{text.strip()}" is no number')
    value, unit = float(found[1]), (found[2] or "").strip()
    factors: dict[str, float] = {"": 1.0}
    if metric.unit == "bit/s":
        factors |= {
            f"{prefix}{unit}": factor for unit in ("bit/s", "bps") for prefix, factor in PREFIXES.items()
        }
    elif metric.unit in SECONDS:
        factors |= SECONDS
    elif metric.unit == "%":
        factors["%"] = 1e-2
    elif metric.unit:
        factors[metric.unit] = 1.0
    if unit not in factors:
        known = ", ".join(f'"{name}"' for name in factors if name)
        right = f"expected {known}" if known else "it has no unit"
        raise InputError(f'{short(metric.key)}: found "{text.strip()}"; {right}')
    return value * factors[unit]
