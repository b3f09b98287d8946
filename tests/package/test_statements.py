"""Scorecard: the claims that count, parts, ways and definitions of one statement; causes."""

import json
from pathlib import Path

import pytest

from ackclock import papers
from ackclock.errors import InputError
from ackclock.papers import (
    CauseClass,
    Each,
    Holds,
    Measured,
    NotRun,
    Ordered,
    Undecidable,
    Values,
    judge,
    scorecard,
)
from ackclock.papers.measurements import Reported, read_measured, written
from ackclock.papers.tally import tally, total
from ackclock.papers.verdict_tables import verdict_tables

HEAD = """
[paper]
key = "toy"
title = "On Queues"
authors = "A. Nonymous"

[ways]
small = "small buffers"
large = "large buffers"
"""

CLAIM = """
[[claim]]
id = "{id}"
class = "{kind}"
place = "II"
statement = "Queues are {id}."
kind = "value"
expected = 1
why = "a number of the text"
{more}
"""


def paper(folder: Path, *claims: str) -> papers.Paper:
    (folder / "claims.toml").write_text(HEAD + "".join(claims))
    return papers.load_paper(folder)


def claim(name: str, more: str = "", kind: str = "paper") -> str:
    return CLAIM.format(id=name, kind=kind, more=more)


def judged(found: papers.Paper, **measured: float | list[float] | NotRun) -> list[papers.Statement]:
    """The statements of a paper with values by id, hyphens as underscores; 1 is what is expected."""
    values = {name.replace("_", "-"): value for name, value in measured.items()}
    verdicts = []
    for one in found.claims:
        value = values[one.id]
        measured_as: Measured = (
            value if isinstance(value, NotRun) else Values(value if isinstance(value, list) else [value])
        )
        verdicts.append(judge(one, measured_as))
    return papers.statements(verdicts)


OPEN = [0.0, 2.0]
"""Measurements whose interval reaches over every bound."""


@pytest.mark.parametrize(
    ("small", "large", "verdict", "cause"),
    [
        (1, 1, "reproduced", None),
        (2, 2, "not reproduced", None),
        (1, 2, "not reproduced", CauseClass.SETTING),
        (2, 1, "not reproduced", CauseClass.SETTING),
        (1, OPEN, "inconclusive", None),
        (2, OPEN, "not reproduced", None),
        (1, NotRun("it takes hours"), "reproduced", None),
        (2, NotRun("it takes hours"), "not reproduced", None),
    ],
)
def test_a_statement_judged_in_two_ways_counts_once(
    tmp_path: Path, small: float, large: float | list[float] | NotRun, verdict: str, cause: CauseClass | None
) -> None:
    found = paper(tmp_path, claim("long", 'ways = ["small", "large"]'))
    assert [one.id for one in found.claims] == ["long-small", "long-large"]
    (statement,) = judged(found, long_small=small, long_large=large)
    assert statement.verdict == verdict
    assert (statement.cause.kind if statement.cause else None) is cause
    assert tally([statement]).statements == 1
    row = verdict_tables([statement]).splitlines()[-1]
    assert "small buffers: " in row, "both results are shown"
    assert "large buffers: " in row
    assert statement.text == "Queues are long."


@pytest.mark.parametrize(
    ("loose", "strict", "verdict"),
    [(1, 1, "reproduced"), (2, 2, "not reproduced"), (1, 2, "inconclusive"), (2, 1, "inconclusive")],
)
def test_a_verdict_that_hangs_on_our_definition_is_inconclusive(
    tmp_path: Path, loose: float, strict: float, verdict: str
) -> None:
    found = paper(tmp_path, claim("fair", 'definitions = { 80 = "80 %", 90 = "90 %" }'))
    (statement,) = judged(found, fair_80=loose, fair_90=strict)
    assert statement.verdict == verdict
    assert "80 %: " in statement.finding
    assert "90 %: " in statement.finding


@pytest.mark.parametrize(
    ("loose", "strict", "verdict", "cause"),
    [
        ((1, 1), (1, 1), "reproduced", None),
        ((1, 1), (2, 2), "inconclusive", None),
        ((1, 1), (1, 2), "inconclusive", None),
        ((1, 2), (2, 1), "not reproduced", CauseClass.SETTING),
        ((1, 2), (2, 2), "not reproduced", CauseClass.OURS),
        ((1, 1), (1, OPEN), "inconclusive", None),
    ],
)
def test_each_definition_is_judged_under_all_ways(
    tmp_path: Path,
    loose: tuple[float, float],
    strict: tuple[float, float],
    verdict: str,
    cause: CauseClass | None,
) -> None:
    both = 'ways = ["small", "large"]\ndefinitions = { 80 = "80 %", 90 = "90 %" }\n'
    found = paper(tmp_path, claim("fair", both + 'cause = "ours"\nevidence = "too few queues"'))
    assert [one.id for one in found.claims] == [
        "fair-80-small", "fair-80-large", "fair-90-small", "fair-90-large"
    ]  # fmt: skip
    (statement,) = judged(
        found,
        fair_80_small=loose[0],
        fair_80_large=loose[1],
        fair_90_small=strict[0],
        fair_90_large=strict[1],
    )
    assert statement.verdict == verdict
    assert (statement.cause.kind if statement.cause else None) is cause
    assert "90 %, small buffers: " in statement.finding
    assert statement.text == "Queues are fair."


def test_a_statement_of_parts_is_reproduced_if_all_are(tmp_path: Path) -> None:
    part = 'part_of = "long"'
    because = 'cause = "ours"\nevidence = "the queue is short"\n'
    found = paper(tmp_path, claim("long", part), claim("full", part + "\n" + because))
    assert [one.verdict for one in judged(found, long=1, full=1)] == ["reproduced"]
    assert [one.verdict for one in judged(found, long=1, full=OPEN)] == ["inconclusive"]
    (failed,) = judged(found, long=OPEN, full=2)
    assert failed.verdict == "not reproduced"
    assert failed.cause is not None
    assert (failed.cause.kind, failed.cause.evidence) == (CauseClass.OURS, "the queue is short")
    linked = papers.Cause(CauseClass.OURS, "see [the page](../a.md), (12 s)")
    assert linked.words == "see the page, (12 s)"


def test_a_chosen_setting_decides_and_others_are_counted_apart(tmp_path: Path) -> None:
    """Parts hold under another setting only if all of them do under the same one."""
    ways = 'ways = ["small", "large"]'
    part = f'part_of = "like"\n{ways}'
    chosen = HEAD.replace("[ways]", 'chosen = "large"\n\n[ways]')
    (tmp_path / "claims.toml").write_text(
        chosen
        + claim("long", ways)
        + claim("full", ways)
        + claim("red", part)
        + claim("sfq", part)
        + claim("late", ways)
    )
    found = papers.load_paper(tmp_path)
    values = {
        "long_small": 2, "long_large": 1,
        "full_small": 1, "full_large": 2,
        "red_small": 1, "red_large": 1, "sfq_small": 2, "sfq_large": 2,
        "late_small": 2, "late_large": 2,
    }  # fmt: skip
    every = judged(found, **values)
    assert [one.verdict for one in every] == [
        "reproduced", "under another setting", "not reproduced", "not reproduced",
    ]  # fmt: skip
    assert every[1].elsewhere == ("small buffers",)
    assert [one.has_chosen for one in every] == [True, False, False, False]
    assert "**reproduced** (served to choose the setting) |" in verdict_tables(every)
    assert "**under another setting**: small buffers |" in verdict_tables(every)
    row = scorecard.Score("toy", "Title", "", tally(every))
    assert "| all | 4 | 1 | 1 | 2 | 0 |" in scorecard.markdown([row])
    (tmp_path / "claims.toml").write_text(chosen.replace('"large"', '"larg"') + claim("long", ways))
    with pytest.raises(InputError, match='no way is named "larg"'):
        papers.load_paper(tmp_path)


def test_parts_with_other_causes_keep_their_own_evidence(tmp_path: Path) -> None:
    part = 'part_of = "like"\nways = ["small", "large"]'
    known = 'cause = "ours"\nevidence = "its queue has other defaults"'
    found = paper(tmp_path, claim("red", part), claim("sfq", f"{part}\n{known}"))
    both = {"red-small": 1, "red-large": 2, "sfq-small": 2, "sfq-large": 2}
    (failed,) = judged(found, **{name.replace("-", "_"): value for name, value in both.items()})
    assert failed.cause is not None
    assert failed.cause.kind is CauseClass.OURS, "a cause that is given goes before one that is computed"
    assert failed.cause.evidence == (
        "red: Computed: small buffers: reproduced; large buffers: not reproduced. "
        "sfq: its queue has other defaults."
    )
    (alone,) = judged(found, red_small=1, red_large=1, sfq_small=2, sfq_large=2)
    assert alone.cause is not None
    assert alone.cause.evidence == "its queue has other defaults"


def test_what_can_hardly_fail_is_marked_and_counted(tmp_path: Path) -> None:
    found = paper(tmp_path, claim("long", 'weak = "a share is at most 1"'), claim("full"))
    weak, usual = judged(found, long=1, full=1)
    assert (weak.weak, usual.weak) == ("a share is at most 1", "")
    table = verdict_tables([weak, usual])
    assert "**reproduced** (can hardly fail: a share is at most 1) |" in table
    row = scorecard.Score("toy", "Title", "", tally([weak, usual]), weak=1)
    assert "Of the reproduced statements 1 can hardly fail" in scorecard.markdown([row])


def test_the_sum_is_also_given_without_a_group(tmp_path: Path) -> None:
    apart = '[[apart]]\ntitle = "Table I"\nprefix = "cell-"\n'
    found = paper(tmp_path, claim("cell-a"), claim("cell-b"), claim("full"), apart)
    every = judged(found, cell_a=1, cell_b=2, full=1)
    assert found.apart == {"Table I": "cell-"}
    without = {"Table I": tally(one for one in every if not one.id.startswith("cell-"))}
    row = scorecard.Score("toy", "Title", "", tally(every), without=without)
    other = scorecard.Score("other", "Title", "", tally(every[:1]))
    last = scorecard.markdown([row, other]).splitlines()[-2:]
    assert last[0].startswith("| all | 4 | 3 | 0 | 1 | 0 |")
    assert last[1].startswith("| all without Table I of toy | 2 | 2 | 0 | 0 | 0 |")


@pytest.mark.parametrize("kind", ["set by us", "fitted", "beyond the paper", "restated", "illustration"])
def test_a_claim_beside_the_sum_never_counts(tmp_path: Path, kind: str) -> None:
    found = paper(tmp_path, claim("long"), claim("full", kind=kind), claim("broken", kind=kind))
    sums = tally(judged(found, long=1, full=1, broken=2))
    assert dict(sums.verdicts) == {
        "reproduced": 1,
        "under another setting": 0,
        "not reproduced": 0,
        "inconclusive": 0,
    }
    assert sums.beside[kind] == 2
    assert sum(sums.beside.values()) == 2
    assert sums.words() == f"1 statement: 1 reproduced; not in the sum: 2 {kind}"
    assert total([sums, sums]).statements == 2
    assert tally(()).words() == "no statement in the sum"


def test_causes_add_up(tmp_path: Path) -> None:
    because = 'cause = "{}"\nevidence = "see there"'
    found = paper(
        tmp_path,
        claim("a", because.format("own rules")),
        claim("b", because.format("setting not stated")),
        claim("c", because.format("ours")),
        claim("d"),
        claim("e", because.format("ours")),
    )
    sums = tally(judged(found, a=2, b=2, c=2, d=2, e=1))
    assert dict(sums.causes) == {"own rules": 1, "setting not stated": 1, "ours": 1, "unresolved": 0}
    assert sums.unexplained == 1
    assert "4 not reproduced (1 own rules, 1 setting not stated, 1 ours, 1 without a cause)" in sums.words()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('class = "paper"\n', "", r"claim long: class is missing \(one of: paper, set by us, fitted"),
        ('class = "paper"', 'class = "fited"', 'did you mean "fitted"'),
        ('statement = "Queues are long."\n', "", "claim long: statement is missing"),
        ('"Queues are long."', '" "', "claim long: statement is missing"),
        ("why =", 'cause = "luck"\nwhy =', 'no cause is named "luck"'),
        ("why =", 'cause = "ours"\nwhy =', "evidence is missing"),
        ("why =", 'evidence = "see there"\nwhy =', "cause is missing"),
        ("why =", 'ways = ["small", "huge"]\nwhy =', "huge, which is not in"),
        ("why =", 'ways = ["small"]\nwhy =', "two or more"),
        ("why =", 'definitions = { a = "a" }\nwhy =', "definitions needs two or more"),
        ('kind = "value"', 'kind = "each"', "kind each needs a list of two"),
    ],
)
def test_a_mistake_in_a_claim_is_named(tmp_path: Path, before: str, after: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        paper(tmp_path, claim("long").replace(before, after, 1))


def test_parts_of_one_statement_are_of_one_class(tmp_path: Path) -> None:
    part = 'part_of = "long"'
    with pytest.raises(InputError, match="another part of the statement long is paper"):
        paper(tmp_path, claim("long", part), claim("full", part, kind="fitted"))


def each(folder: Path) -> papers.Claim:
    text = claim("long").replace('"value"', '"each"').replace("expected = 1", "expected = [0.9, inf]")
    return paper(folder, text).claims[0]


def test_a_rule_for_every_load_is_judged_by_intervals_over_the_loads(tmp_path: Path) -> None:
    rule = each(tmp_path)
    assert rule.expectation == "at least 0.9 at every load"
    high, low = [1.0, 1.01, 0.99], [0.5, 0.51, 0.49]
    astride = [0.8, 1.1, 0.95]
    loads = {str(n): high for n in range(5)}
    assert judge(rule, Each(loads)).verdict == "reproduced"
    failing = judge(rule, Each({**loads, "0": low, "1": low}))
    assert (failing.verdict, failing.note) == ("not reproduced", "not at 0, 1")
    assert judge(rule, Each({**loads, "3": astride})).verdict == "inconclusive"
    one = judge(rule, Each({**loads, "3": low}))
    assert (one.verdict, one.note) == ("inconclusive", "at every load but one, 3")
    assert judge(rule, Each({"0": high, "1": low})).verdict == "not reproduced", "one of two is no exception"
    assert "at worst 0.5" in one.finding
    assert "4 of 5 loads" in one.finding


def test_more_loads_do_not_make_a_chance_failure_more_likely(tmp_path: Path) -> None:
    rule = each(tmp_path)
    barely = [0.91, 0.9095, 0.9105]
    assert judge(rule, Each({"0": barely})).verdict == "reproduced"
    many = {str(n): barely for n in range(100)}
    assert judge(rule, Each(many)).verdict == "inconclusive", "wider intervals, so that all hold together"


def test_what_the_quick_check_leaves_out_is_not_inconclusive(tmp_path: Path) -> None:
    found = paper(tmp_path, claim("long"), claim("full"), claim("broken"))
    every = judged(found, long=1, full=OPEN, broken=NotRun("the quick check leaves it out"))
    assert [one.verdict for one in every] == ["reproduced", "inconclusive", "not run"]
    sums = tally(every)
    assert {kind: count for kind, count in sums.verdicts.items() if count} == {
        "reproduced": 1,
        "inconclusive": 1,
    }
    assert sums.words() == "3 statements: 1 reproduced, 1 inconclusive, 1 not run in the quick check"
    assert total([sums, sums]).not_run == 2
    row = scorecard.Score("key", "Title", "", sums)
    assert (
        "| statements | reproduced | under another setting | not reproduced | inconclusive | not run |"
        in scorecard.markdown([row])
    )
    heads = [heading for heading, _ in scorecard.views([row])[0].columns]
    assert heads[-2:] == ["Inconclusive", "Not run"]
    full = scorecard.Score("key", "Title", "", tally(every[:2]))
    assert "not run" not in scorecard.markdown([full]), "only a quick check leaves something out"


@pytest.mark.parametrize(
    "measured",
    [
        Values([1.0, float("inf")], "why", [0.5]),
        Each({"10 flows": [1.0, 2.0]}),
        Ordered({"a": [1.0], "b": [2.0]}, "so"),
        Holds([True, False], 3.5),
        Holds([True]),
        Undecidable("no way"),
        NotRun("the quick check leaves it out"),
        Reported("1 ± 0", None, "1", "x"),
    ],
)
def test_measurements_are_kept_in_json(measured: Measured) -> None:
    assert read_measured(json.loads(json.dumps(written(measured), allow_nan=False))) == measured


def test_a_verdict_without_measurements_stands_while_its_rule_is_the_same(tmp_path: Path) -> None:
    one = paper(tmp_path, claim("long")).claims[0]
    kept = Reported("1 ± 0", False, "2")
    assert (judge(one, kept).verdict, judge(one, kept).finding) == ("not reproduced", "2")
    changed = paper(tmp_path, claim("long", "tolerance = 1")).claims[0]
    assert judge(changed, kept).verdict == "inconclusive"
    assert "another rule (1 ± 0)" in judge(changed, kept).note


def test_a_number_that_is_the_same_in_all_samples_is_written_once() -> None:
    measured = Values([2.5] * 50, "", [0.25, 0.5])
    document = written(measured)
    assert document["values"] == {"n": 50, "constant": 2.5}
    assert read_measured(document) == measured
    published = document | {"spread": {"n": 4, "low": 0.25, "high": 0.5}}
    found = read_measured(published)
    assert isinstance(found, Values)
    assert (len(found.spread), min(found.spread), max(found.spread)) == (4, 0.25, 0.5)
