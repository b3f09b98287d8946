"""The terminal on which tables are printed."""

from __future__ import annotations

import os

from rich.console import Console

__all__ = ["console"]


def console() -> Console:
    """The terminal. Without one, the width is that of COLUMNS, or 120 columns."""
    terminal = Console(highlight=False)
    if terminal.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return terminal
    return Console(highlight=False, width=120)
