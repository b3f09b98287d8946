"""Statements: the verdicts on all claims that test one sentence of a paper, joined into one verdict.

The scorecard counts statements, each once. A statement can have

- *parts*, claims that name it in `part_of`: it is reproduced if all are, and not if one is not;
- *ways*, settings that the paper does not state, under each of which it is judged. If one of them is chosen
  for the whole paper, it decides; a statement that is reproduced under another one only is counted apart.
  Otherwise the statement is reproduced if it is under all; not reproduced if it is only under some, since a
  setting that the paper does not state decides;
- *definitions* of a word: reproduced if it is under all, not reproduced if it is under none, and otherwise
  inconclusive, since our choice of a definition would decide. If there are also several ways, each definition
  is judged in all of them;
- *settings*, of a search of what the paper leaves open (`papers.searched`): a statement that is reproduced
  under another of them only is counted apart, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ackclock.measures.verdict import Outcome
from ackclock.papers.claims import Claim
from ackclock.papers.classes import Cause, CauseClass, ClaimClass
from ackclock.papers.judge import ELSEWHERE, NOT_RUN, WORDS, ClaimVerdict
from ackclock.papers.searched import Robustness, Searched

__all__ = ["Statement", "statements"]

COMPUTED = "Computed: "
"""The beginning of evidence that is computed from the verdicts under several settings."""


@dataclass(frozen=True)
class Statement:
    """One sentence of a paper, or one of our own claims about it, with its verdict."""

    id: str
    claim_class: ClaimClass
    outcome: Outcome
    verdicts: tuple[ClaimVerdict, ...]
    """The claims of its parts, ways and definitions, at least one."""
    cause: Cause | None = None
    """The reason for which it was not reproduced; None if it was, or if no reason is given."""
    elsewhere: tuple[str, ...] = ()
    """The ways under which it is reproduced, in words, if it is not under the chosen one."""
    robustness: Robustness | None = None
    """How it fares under the other settings of a search; None without one."""

    @property
    def counts(self) -> bool:
        """True if it is in the scorecard's sum."""
        return self.claim_class is ClaimClass.PAPER

    @property
    def verdict(self) -> str:
        """One of `STATEMENT_VERDICTS`; `NOT_RUN` where the quick check leaves out all of it."""
        if all(one.verdict == NOT_RUN for one in self.verdicts):
            return NOT_RUN
        return ELSEWHERE if self.elsewhere else WORDS[self.outcome]

    @property
    def place(self) -> str:
        """The place in the paper."""
        return self.verdicts[0].claim.place

    @property
    def text(self) -> str:
        """The sentence. Of several parts, all sentences that differ."""
        texts = [_plain(verdict) for verdict in self.verdicts]
        return " ".join(dict.fromkeys(texts))

    @property
    def weak(self) -> str:
        """The reason for which it can hardly fail; empty if there is none."""
        return next((one.claim.weak for one in self.verdicts if one.claim.weak), "")

    @property
    def has_chosen(self) -> bool:
        """True if it is reproduced under the chosen setting and not under every other: it served to choose.

        It is no independent evidence for that setting.
        """
        if self.outcome is not Outcome.HOLDS:
            return False
        if self.robustness and self.robustness.chooses:
            return True
        ways = [one.outcome for one in self.verdicts if one.claim.way and not one.claim.is_chosen]
        is_chosen = any(one.claim.is_chosen for one in self.verdicts)
        return is_chosen and any(way is not Outcome.HOLDS for way in ways)

    @property
    def rules(self) -> list[Claim]:
        """The claims with different rules or reasons."""
        return list({(one.claim.expectation, one.claim.why): one.claim for one in self.verdicts}.values())

    @property
    def cases(self) -> list[tuple[str, ClaimVerdict]]:
        """Each part, way or definition by its name."""
        return [(_label(one), one) for one in self.verdicts]

    @property
    def finding(self) -> str:
        """The measurements of each part, way and definition."""
        if len(self.verdicts) == 1:
            return self.verdicts[0].finding
        return "; ".join(f"{label}: {one.finding} ({one.verdict})" for label, one in self.cases)


def statements(verdicts: Iterable[ClaimVerdict], searched: Sequence[Searched] = ()) -> list[Statement]:
    """The statements that the claims judge, in the order of their first claims.

    Those of the paper also have what the search of their settings found.
    """
    members: dict[str, list[ClaimVerdict]] = {}
    for verdict in verdicts:
        members.setdefault(verdict.claim.statement_id or verdict.claim.id, []).append(verdict)
    found = [_statement(name, verdicts) for name, verdicts in members.items()]
    return [_searched(one, searched) if one.counts else one for one in found]


def _searched(statement: Statement, searched: Sequence[Searched]) -> Statement:
    """A statement with its robustness; if it is not reproduced but by the search is elsewhere, it says so."""
    found = (search.robustness(statement.id) for search in searched)
    robustness = next((one for one in found if one), None)
    elsewhere = statement.elsewhere
    if robustness and statement.outcome is not Outcome.HOLDS and not elsewhere and robustness.is_elsewhere:
        elsewhere = (robustness.words,)
    return replace(statement, robustness=robustness, elsewhere=elsewhere)


def _statement(name: str, verdicts: Sequence[ClaimVerdict]) -> Statement:
    rules: dict[str, list[ClaimVerdict]] = {}
    for verdict in verdicts:
        rules.setdefault(verdict.claim.rule_id or verdict.claim.id, []).append(verdict)
    parts = [(_of_rule(cases), _cause(cases)) for cases in rules.values()]
    failed = {
        rule: cause
        for (rule, _), (outcome, cause) in zip(rules.items(), parts, strict=True)
        if outcome is Outcome.FAILS
    }
    outcome = _of_parts([outcome for outcome, _ in parts])
    elsewhere = () if outcome is Outcome.HOLDS else _elsewhere(list(rules.values()))
    cause = _joined({rule: cause for rule, cause in failed.items() if cause})
    return Statement(name, verdicts[0].claim.claim_class, outcome, tuple(verdicts), cause, elsewhere)


def _of_parts(outcomes: Sequence[Outcome]) -> Outcome:
    """Reproduced if all parts are, and not if one is not."""
    if Outcome.FAILS in outcomes:
        return Outcome.FAILS
    return Outcome.UNDECIDED if Outcome.UNDECIDED in outcomes else Outcome.HOLDS


def _elsewhere(rules: Sequence[Sequence[ClaimVerdict]]) -> tuple[str, ...]:
    """The ways under which all parts are reproduced, where one of the ways is chosen."""
    every = [one for cases in rules for one in cases]
    if not any(one.claim.is_chosen for one in every):
        return ()
    others = dict.fromkeys(one.claim.way for one in every if one.claim.way and not one.claim.is_chosen)
    return tuple(way for way in others if _under(rules, way) is Outcome.HOLDS)


def _under(rules: Sequence[Sequence[ClaimVerdict]], way: str) -> Outcome:
    """The outcome under one way alone."""
    alone = [
        [
            replace(one, claim=replace(one.claim, is_chosen=False))
            for one in cases
            if one.claim.way in ("", way)
        ]
        for cases in rules
    ]
    return _of_parts([_of_rule(cases) for cases in alone if cases])


def _of_rule(cases: Sequence[ClaimVerdict]) -> Outcome:
    outcomes = {_of_ways(ways) for ways in _by_definition(cases)}
    return outcomes.pop() if len(outcomes) == 1 else Outcome.UNDECIDED


def _by_definition(cases: Sequence[ClaimVerdict]) -> list[list[ClaimVerdict]]:
    found: dict[str, list[ClaimVerdict]] = {}
    for verdict in cases:
        found.setdefault(verdict.claim.definition, []).append(verdict)
    return list(found.values())


def _of_ways(ways: Sequence[ClaimVerdict]) -> Outcome:
    # The ways that a quick check leaves out do not count, and next to a chosen way no other.
    chosen = [verdict for verdict in ways if verdict.claim.is_chosen] or ways
    outcomes = {verdict.outcome for verdict in chosen if verdict.verdict != NOT_RUN} or {Outcome.UNDECIDED}
    if len(outcomes) == 1:
        return outcomes.pop()
    return Outcome.FAILS if Outcome.FAILS in outcomes else Outcome.UNDECIDED


def _cause(cases: Sequence[ClaimVerdict]) -> Cause | None:
    """The cause that claims.toml gives; if the ways differ, they are the evidence that a setting decides."""
    both = {Outcome.HOLDS, Outcome.FAILS}
    if all(both <= {verdict.outcome for verdict in ways} for ways in _by_definition(cases)):
        found = "; ".join(f"{one.claim.case}: {one.verdict}" for one in cases)
        return Cause(CauseClass.SETTING, f"{COMPUTED}{found}.")
    return cases[0].claim.cause


def _joined(causes: Mapping[str, Cause]) -> Cause | None:
    """One cause of the parts that were not reproduced, with the evidence of each part that has its own.

    A cause that claims.toml gives goes before one that is computed from the ways.
    """
    if len(set(causes.values())) <= 1:
        return next(iter(causes.values()), None)
    given = [cause for cause in causes.values() if not cause.evidence.startswith(COMPUTED)]
    kind = (given or list(causes.values()))[0].kind
    evidence = " ".join(f"{rule}: {cause.evidence.rstrip('.')}." for rule, cause in causes.items())
    return Cause(kind, evidence)


def _plain(verdict: ClaimVerdict) -> str:
    claim = verdict.claim
    return claim.statement.replace(f" ({claim.case}).", ".") if claim.case else claim.statement


def _label(verdict: ClaimVerdict) -> str:
    """The name of a part, way or definition among the others of its statement."""
    claim = verdict.claim
    if claim.case and claim.rule_id != claim.statement_id:
        return f"{claim.rule_id}, {claim.case}"
    return claim.case or claim.id
