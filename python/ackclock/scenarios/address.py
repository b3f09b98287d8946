"""The address at which the playground shows a scenario."""

from __future__ import annotations

import base64
import zlib

from ackclock._native import Scenario

__all__ = ["playground_address"]

PORT = 8000


def playground_address(scenario: Scenario, port: int = PORT) -> str:
    """The address of `ackclock playground --port 8000` that shows a scenario, as the page itself writes it.

    `playground/src/scenario/address.js` reads it: the scenario as JSON, deflated without a header.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(scenario.to_json().encode()) + packer.flush()
    letters = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return f"http://127.0.0.1:{port}/#tree={letters}"
