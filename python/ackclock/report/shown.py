"""Results that show themselves: in a notebook, as a LaTeX table, and as a pandas data frame."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ackclock.errors import InputError
from ackclock.report import latex
from ackclock.report.templates import environment

if TYPE_CHECKING:
    import polars as pl

    from ackclock.report.tables import View

__all__ = ["Shown", "fragment", "in_pandas"]


def fragment(title: str, line: str, views: Sequence[View], picture: str = "") -> str:
    """Tables under a title as a fragment of HTML, light or dark like the page around it."""
    template = environment().get_template("notebook.html.j2")
    return template.render(title=title, line=line, views=views, picture=picture)


def in_pandas(frame: pl.DataFrame) -> Any:
    """The table as a pandas data frame. Raises InputError where pandas is not installed."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise InputError(
            "to_pandas needs pandas, which is not installed: pip install pandas; "
            "the tables are polars data frames without it"
        ) from None
    columns = {
        name: frame[name].to_numpy() if frame[name].dtype.is_numeric() else frame[name].to_list()
        for name in frame.columns
    }
    return pandas.DataFrame(columns)


class Shown:
    """A result with tables: subclasses name them."""

    def _heading(self) -> tuple[str, str]:
        """The title, and a line below it."""
        raise NotImplementedError

    def _views(self) -> Sequence[View]:
        """The tables displayed, the most important first."""
        raise NotImplementedError

    def _frame(self, table: str) -> pl.DataFrame:
        """A table by name; the empty name is that of the most important one."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """The tables as notebooks show them."""
        return fragment(*self._heading(), self._views())

    def to_latex(self) -> str:
        """The most important table as a `tabular` for LaTeX' package booktabs, means with ± intervals."""
        return latex.table(self._views()[0])

    def to_pandas(self, table: str = "") -> Any:
        """A table as a pandas data frame: the most important one, or that of a name.

        It needs pandas alone; `to_pandas()` of a polars data frame, as `result.flows` is one, needs pyarrow
        too. Raises InputError for another name, and where pandas, which is optional, is not installed.
        """
        return in_pandas(self._frame(table))
