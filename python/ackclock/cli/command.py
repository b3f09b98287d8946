"""Commands whose help shows the names that we give to values, and not the types that hold them."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["Command", "Group"]


class Command(TyperCommand):
    """Leaves out `<str>` beside an argument and `<bool>` beside `--help`."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters; those without a name of ours for their values show none."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """The same for the program itself."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters; those without a name of ours for their values show none."""
        return _without_types(super().get_params(ctx))


def _without_types(params: Any) -> Any:
    for param in params:
        if param.param_type_name == "argument" or not param.metavar:
            # Where typer has no such method, it shows no such types.
            param.display_type_rich = lambda **_: None
    return params
