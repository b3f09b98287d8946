"""The text of JSON documents."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping

__all__ = ["clean", "dumps"]


def clean(value: object) -> object:
    """The value with NaN and infinities as None, ready for JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): clean(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [clean(item) for item in value]
    return value


def dumps(document: object) -> str:
    """The text of a JSON document in ASCII, for any encoding; indented, with null for NaN and infinities."""
    return json.dumps(clean(document), indent=2, allow_nan=False)
