"""Addresses of scenarios in the playground."""

from __future__ import annotations

import base64
import json
import zlib

from ackclock._native import Scenario
from ackclock.errors import ScenarioError
from ackclock.scenarios.load import load_scenario

__all__ = ["COMMAND", "HERE", "fragment"]

PORT = 8000
COMMAND = f"ackclock playground --port {PORT}"
"""The command that serves the playground at [`HERE`]."""
HERE = f"http://127.0.0.1:{PORT}/"
"""The address of the playground on this machine."""


def fragment(scenario: Scenario) -> str | None:
    """The part of an address that makes the playground play a scenario; None if it cannot.

    The playground has the built-in algorithms alone, so that it cannot play a class of one's own.
    """
    tree = scenario.to_json()
    try:
        load_scenario(json.loads(tree))
    except ScenarioError:
        return None
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(tree.encode()) + packer.flush()
    return f"#tree={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"
