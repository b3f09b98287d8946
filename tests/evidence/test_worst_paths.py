"""The published worst paths are of contenders of the league, and are still as bad as the table says."""

import json
from pathlib import Path

import pytest

from verification.attacks import worst_paths
from verification.league.contenders import contenders

ROWS = [row for rows in worst_paths.published().values() for row in rows]
FOUND = [row for row in ROWS if row.is_found]


def test_rows_are_of_contenders_with_both_aims() -> None:
    algorithms = {each.key: each.algorithm for each in contenders()}
    assert ROWS
    for key, rows in worst_paths.published().items():
        assert [row.aim for row in rows] == ["own", "others"]
        assert {row.algorithm for row in rows} == {algorithms[key]}


@pytest.mark.parametrize("row", FOUND, ids=lambda row: f"{row.contender}-{row.aim}")
def test_a_worst_path_is_what_its_row_says(row: worst_paths.Row) -> None:
    assert row.share < row.below
    assert row.held >= 8
    assert row.replayed() < row.below, (
        f"{row.contender} is better on its worst path than published: "
        f"python -m verification.attacks.worst_paths {row.contender} --publish"
    )


def test_a_row_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    known = {each.key: each for each in contenders()}
    file = tmp_path / "worst-paths.json"
    blank = {"share": 1.0, "words": "", "path": {}, "duration_s": 0.0, "below": 0.0, "held": 0}
    for key, share in (("controller-copa", 1.0), ("avoidance-cubic", 1.0), ("controller-copa", 0.5)):
        named = {"contender": key, "algorithm": known[key].algorithm}
        rows = [{**named, "aim": aim, **blank, "share": share} for aim in ("own", "others")]
        worst_paths.write(file, known, key, rows)
    assert "rows" in json.loads(file.read_text(encoding="utf-8"))
    found = worst_paths.published(file)
    assert list(found) == ["avoidance-cubic", "controller-copa"]
    assert [row.share for row in found["controller-copa"]] == [0.5, 0.5]
    assert worst_paths.published(tmp_path / "none.json") == {}
