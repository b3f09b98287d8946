"""The cases of BBR: its draft's appendix, and where its pseudocode and its prose differ."""

from ackclock.conformance.judge import conform
from ackclock.conformance.specifications import specification
from ackclock.measures.verdict import Outcome


def test_the_drafts_pseudocode_fails_where_its_prose_does_not() -> None:
    """docs/comparisons/bbr-draft.md: two cases fail, and hold by the readings that follow the prose."""
    done = conform("bbr3", seeds=1)
    failed = {verdict.what for verdict in done.verdicts if verdict.outcome is not Outcome.HOLDS}
    assert failed == {"decrease-deep-buffer", "spurious-fast-recovery"}
    by_prose = conform("bbr3(filter_after_probe_rtt=1,save_once=1)", seeds=1)
    assert by_prose.count(Outcome.HOLDS) == len(by_prose.verdicts)


def test_the_appendix_is_covered() -> None:
    """The appendix "BBR Example Test Cases" has 22 cases."""
    sections = [case.section for case in specification("bbr").cases if case.section.startswith("appendix")]
    assert len({section.partition(";")[0] for section in sections}) == 22
