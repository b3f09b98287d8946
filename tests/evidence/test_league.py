"""The league has every algorithm of the catalogue, by every criterion, in rows of one kind."""

import csv
import html
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.evaluate import evaluate
from ackclock.evaluation.verdict import CLASSES
from ackclock.measures.verdict import Outcome
from ackclock.scenarios.catalogue import list_algorithms
from verification import evidence
from verification.league import __main__ as command
from verification.league import conformance, document
from verification.league.claims import Claim, judged, read_claims
from verification.league.contenders import SKIPPED, Contender, contenders

CONTENDERS = {contender.key: contender for contender in contenders()}


@pytest.fixture(params=CONTENDERS)
def contender(request: pytest.FixtureRequest) -> Contender:
    return CONTENDERS[request.param]


def published(key: str) -> dict[str, Any]:
    try:
        return document.read(command.PUBLISHED, key)
    except LookupError as missing:
        return pytest.fail(f"not in the league: {missing}")


def test_every_algorithm_is_a_contender_or_is_left_out_with_a_reason() -> None:
    known = {(entry.kind, entry.name) for entry in list_algorithms()}
    evaluated = {(each.entry.kind, each.entry.name) for each in CONTENDERS.values()}
    assert evaluated | set(SKIPPED) == known
    assert not evaluated & set(SKIPPED)
    assert all(SKIPPED.values())
    assert len({each.algorithm for each in CONTENDERS.values()}) == len(CONTENDERS)


def test_every_contender_is_published_by_every_criterion(contender: Contender) -> None:
    found = published(contender.key)
    assert found["algorithm"] == contender.algorithm
    for folder, content in found["sources"].items():
        assert re.fullmatch("[0-9a-f]{40}", content), folder
    assert found["left_out"] == contender.left_out
    criteria = [criterion for criterion in CRITERIA if criterion.key not in contender.left_out]
    assert [each["key"] for each in found["criteria"]] == [criterion.key for criterion in criteria]
    for each, criterion in zip(found["criteria"], criteria, strict=True):
        assert each["class"] in CLASSES
        assert [cell["name"] for cell in each["cells"]] == [
            cell.name for cell in criterion.cells(found["quick"])
        ]


def test_all_rows_are_full_runs_of_one_kind() -> None:
    kinds = {(row["quick"], tuple(row["seeds"])) for row in map(published, CONTENDERS)}
    assert kinds == {(False, tuple(range(1, 11)))}, "publish rows by `make evidence ALGORITHM=name` alone"
    alike = json.loads((command.PUBLISHED / document.SETTINGS).read_text(encoding="utf-8"))
    assert alike == document.settings(quick=False), "the settings have changed: evaluate all rows again"


def test_a_row_without_a_criterion_that_came_later_has_a_blank_with_the_reason(tmp_path: Path) -> None:
    for name in ("avoidance-hybla.json", document.SETTINGS):
        (tmp_path / name).write_bytes((command.PUBLISHED / name).read_bytes())
    row = tmp_path / "avoidance-hybla.json"
    older = json.loads(row.read_text(encoding="utf-8"))
    older["criteria"] = [each for each in older["criteria"] if each["key"] != "loss"]
    row.write_text(json.dumps(older), encoding="utf-8")
    left_out = document.read(tmp_path, row.stem)["left_out"]
    assert left_out["loss"] == document.CAME_LATER
    assert left_out["collapse"] == CONTENDERS[row.stem].left_out["collapse"]
    heads, cells = document.table(tmp_path)
    assert [head for head, cell in zip(heads, cells, strict=True) if not cell] == ["collapse", "loss"]


@pytest.mark.parametrize(
    ("mean", "half", "stored"),
    [
        (0.770612, 0.00422, [0.7706, 0.0042]),
        (0.753812, 0.0924, [0.754, 0.092]),
        (1334.51, 9.96, [1335, 10]),
        (0.0384, 3.47e-18, 0.0384),
        (0.0, 0.0, 0),
        (2.5, float("inf"), [2.5, None]),
        (float("nan"), float("nan"), None),
    ],
)
def test_a_mean_has_no_more_digits_than_its_half_width(mean: float, half: float, stored: object) -> None:
    assert document.shortened(mean, half) == stored


def test_nothing_else_is_published() -> None:
    assert set(document.keys_in(command.PUBLISHED)) == set(CONTENDERS)


def test_the_table_has_the_numbers_of_the_documents() -> None:
    with (command.PUBLISHED / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["kind"], row["name"]): row for row in csv.DictReader(file)}
    assert len(rows) == len(CONTENDERS)
    for key, contender in CONTENDERS.items():
        row = rows[contender.entry.kind, contender.entry.name]
        for each in published(key)["criteria"]:
            assert float(row[each["key"]]) == pytest.approx(each["times_worse"][0], abs=0.006, rel=1e-3)


def test_the_command_writes_a_document_and_finds_its_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def small(algorithm: str, store: Path, **keys: Any) -> Any:
        return evaluate(algorithm, store, **(keys | {"only": ["constrained"], "seeds": 1}))

    monkeypatch.setattr(command, "evaluate", small)
    arguments = ["controller-subpacket", "--folder", str(tmp_path)]
    assert command.main(arguments) == 0
    first = (tmp_path / "controller-subpacket.json").read_text(encoding="utf-8")
    assert json.loads(first)["algorithm"] == "subpacket"
    assert command.main(arguments) == 0
    assert "controller-subpacket 0 runs" in capsys.readouterr().err
    assert (tmp_path / "controller-subpacket.json").read_text(encoding="utf-8") == first


def test_a_row_that_is_published_is_a_full_one_from_whatever_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def small(algorithm: str, store: Path, **keys: Any) -> Any:
        asked.append(keys["quick"])
        return evaluate(algorithm, store, **(keys | {"only": ["constrained"], "seeds": 1}))

    monkeypatch.setattr(command, "evaluate", small)
    monkeypatch.setattr(command, "PUBLISHED", tmp_path / "published")
    assert command.main(["controller-subpacket", "--publish", "--folder", str(tmp_path)]) == 0
    assert asked == [False]
    (row,) = (tmp_path / "published").glob("controller-*.json")
    assert set(json.loads(row.read_text(encoding="utf-8"))["sources"]) == {"crates", "python/ackclock"}


def test_the_evidence_for_an_algorithm_is_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert evidence.keys_of("cubic") == ["avoidance-cubic"]
    assert set(evidence.keys_of("vegas")) == {"avoidance-vegas", "slow-start-vegas", "recovery-vegas"}
    for name, words in (("cubik", "did you mean cubic?"), ("rack", "no row of its own")):
        with pytest.raises(SystemExit):
            evidence.main([name])
        assert words in capsys.readouterr().err


def test_verdicts_of_conformance_are_those_of_the_contender_that_the_name_selects(tmp_path: Path) -> None:
    def row(algorithm: str, specification: str, *failed: str) -> dict[str, object]:
        others = [{"case": case, "verdict": "fails", "finding": "3", "reason": ""} for case in failed]
        counts = {"cases": 9, "hold": 9 - len(failed)}
        names = {"algorithm": algorithm, "specification": specification}
        return {**names, **counts, "others": others, "findings": {}}

    file = tmp_path / "verdicts.json"
    rows = [
        row("reno", "reno", "once"),
        row("rack+reno", "reno"),
        row("cubic", "cubic", "idle", "mark"),
        row("hystart", "hystart"),
        row("hybla", "rate-limited"),
        row("rack", "prr"),
        row("rack", "rack"),
    ]
    file.write_text(json.dumps({"rows": rows}), encoding="utf-8")
    found = conformance.published(file)
    shown = {
        each.key: [f"{row.specification} {row.held}" for row in by]
        for each in CONTENDERS.values()
        if (by := conformance.of(each.entry.kind, each.entry.name, each.algorithm, found))
    }
    assert shown == {
        "recovery-reno": ["reno 8 of 9"],
        "avoidance-reno": ["reno 9 of 9"],
        "avoidance-cubic": ["cubic 7 of 9"],
        "slow-start-hystart": ["hystart 9 of 9"],
        "avoidance-hybla": ["rate-limited 9 of 9"],
    }
    assert [row.fails for row in found[:3]] == [True, False, True]
    assert conformance.published(tmp_path / "none.json") == ()


def test_every_published_verdict_of_conformance_has_its_contender() -> None:
    for row in conformance.published():
        shown = [
            each.key
            for each in CONTENDERS.values()
            if row in conformance.of(each.entry.kind, each.entry.name, each.algorithm, (row,))
        ]
        assert shown or row.algorithm in {name for _, name in SKIPPED}, row.algorithm


def test_a_contender_that_there_is_not_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        command.main(["avoidance-cubik"])
    assert refused.value.code == 2
    assert "no contender is called avoidance-cubik" in capsys.readouterr().err


@pytest.mark.parametrize("claim", read_claims(), ids=lambda claim: f"{claim.contender}: {claim.statement}")
def test_every_claim_bounds_a_value_that_is_published(claim: Claim) -> None:
    of = {key: published(key) for key in {claim.contender, claim.of or claim.contender}}
    verdict = judged(claim, of)
    assert verdict.finding
    assert verdict.what == claim.statement


@pytest.mark.parametrize(
    ("interval", "is_least", "outcome"),
    [
        ([5.0, 4.1, 5.9], True, Outcome.HOLDS),
        ([5.0, 3.9, 6.1], True, Outcome.UNDECIDED),
        ([3.0, 2.1, 3.9], True, Outcome.FAILS),
        ([3.0, 2.1, 3.9], False, Outcome.HOLDS),
        ([3.0, 1.9, 4.1], False, Outcome.UNDECIDED),
        ([5.0, 4.1, 5.9], False, Outcome.FAILS),
        ([5.0, None, None], True, Outcome.UNDECIDED),
    ],
)
def test_a_claim_holds_if_its_whole_interval_is_within_the_bound(
    interval: list[float | None], is_least: bool, outcome: Outcome
) -> None:
    def document(name: str, values: list[float | None]) -> dict[str, Any]:
        cell = {"name": "1 flow, buffer 1 BDP", "values": {"delay_95_s": values}}
        return {"algorithm": name, "criteria": [{"key": "bufferbloat", "cells": [cell]}]}

    claim = Claim(
        "mine", "statement", "source", "bufferbloat/1 flow, buffer 1 BDP/delay_95_s", is_least, 2.0, "other"
    )
    documents = {"mine": document("mine", interval), "other": document("other", [2.0, 2.0, 2.0])}
    assert judged(claim, documents).outcome is outcome


def test_the_table_has_a_dash_with_the_reason_for_each_criterion_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs" / "_extensions")
    league = importlib.import_module("league")
    (page,) = league.LeagueTable.run(league.LeagueTable.__new__(league.LeagueTable))
    heads = re.findall(r"<th title=\"[^\"]*\"><span>[^<]* ([a-z-]+)</span>", page.astext())
    assert heads == [criterion.key for criterion in CRITERIA]
    reasons = [reason for each in CONTENDERS.values() for reason in each.left_out.values()]
    for reason in set(reasons):
        dash = f'<td title="{html.escape(reason)}">–</td>'
        assert page.astext().count(dash) == reasons.count(reason)


def test_the_page_counts_the_settings_and_lists_the_entries_without_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs" / "_extensions")
    league = importlib.import_module("league")
    assert league.number_at("settings") == str(sum(len(each.cells(False)) for each in CRITERIA))
    told: list[str] = []
    monkeypatch.setattr(league, "parsed", lambda _, lines: told.extend(lines))
    league.LeagueSkipped.run(league.LeagueSkipped.__new__(league.LeagueSkipped))
    assert [line.split(" | ")[0] for line in told[2:]] == [f"| `{name}`" for _, name in SKIPPED]
    page = (Path(__file__).parents[2] / "docs" / "league.md").read_text(encoding="utf-8")
    assert "```{league-skipped}" in page
