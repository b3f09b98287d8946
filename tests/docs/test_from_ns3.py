"""What the page for users of ns-3 names here is in its scenario and commands, which `test_docs.py` runs."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "from-ns-3.md").read_text(encoding="utf-8")
BLOCKS = "\n".join(re.findall(r"```(?:toml|console)\n(.*?)```", PAGE, re.DOTALL))
TABLES_OF_RESULTS = {"flow_series", "flows", "report.html", "receive_window", "cubic-linux"}
"""Names of outputs and of keys alone."""


@pytest.mark.parametrize(
    "row", [line for line in PAGE.splitlines() if re.match(r"\| (?!there|ns-3 )\S.*\|$", line)]
)
def test_the_right_side_of_each_row_is_run(row: str) -> None:
    right = row.strip("| ").split(" | ")[-1]
    for code in re.findall(r"(?<!\{doc\})`([^`]+)`", right):
        if code in TABLES_OF_RESULTS or code.startswith("_"):
            continue
        assert code in BLOCKS, f"{code} is in no block that runs"
