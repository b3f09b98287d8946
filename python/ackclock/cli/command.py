"""Commands whose help shows the names that we give to values, and not the types that hold them."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

__all__ = ["Command"]


class Command(TyperCommand):
    """Leaves out `<str>` beside an argument and `<bool>` beside `--help`."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters; those without a name of ours for their values show none."""
        params = super().get_params(ctx)
        for param in params:
            if param.param_type_name == "argument" or param.metavar is None:
                # Where typer has no such method, it shows no such types.
                param.display_type_rich = lambda **_: None  # type: ignore[attr-defined]
        return params
