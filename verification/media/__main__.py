"""Prints every claim about a congestion control of calls with its value and whether it holds."""

from __future__ import annotations

from verification.media.claim import judged
from verification.media.claims import CLAIMS

if __name__ == "__main__":
    for name, claims in CLAIMS.items():
        for each in judged(claims):
            claim = each.claim
            print(
                f"{name} {claim.section}, {claim.key}: {claim.quantity}: {each.found}, {claim.bounds}: "
                f"{each.verdict}"
            )
