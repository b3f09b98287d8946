"""All claims, by the congestion control."""

from __future__ import annotations

from verification.media import gcc, nada, scream2

__all__ = ["CLAIMS"]

CLAIMS = {"nada": nada.CLAIMS, "gcc": gcc.CLAIMS, "scream2": scream2.CLAIMS}
