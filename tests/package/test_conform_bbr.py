"""The cases of BBR: the second reading meets them, and each of six mutants of it fails one."""

from collections.abc import Callable

import pytest

from ackclock.conformance.judge import conform
from ackclock.conformance.specifications import specification
from ackclock.measures.verdict import Outcome
from reference.controllers import bbr3 as reading
from reference.facts import Start

Bbr3 = reading.Bbr3


def made(kind: type[Bbr3]) -> Callable[[Start], Bbr3]:
    """A class as `conform` takes it, which begins with the connection."""

    def rack_twin(start: Start) -> Bbr3:
        controller = kind()
        controller.begin(start)
        return controller

    return rack_twin


class StartsEarly(Bbr3):
    """One round without growth ends Startup instead of three."""

    def check_full_bw_reached(self) -> None:
        super().check_full_bw_reached()
        if self.full_bw_count >= 1:
            self.full_bw_now = self.full_bw_reached = True


class NeverDrains(Bbr3):
    """Drain paces at the bandwidth instead of half of it."""

    def __init__(self) -> None:
        super().__init__(drain_gain=1.0)


class ForgetsNothing(Bbr3):
    """The filter of the maximum never advances."""

    def adapt_long_term_model(self) -> bool:
        before = self.cycle_count
        decided = super().adapt_long_term_model()
        self.cycle_count = before
        return decided


class ProbesRarely(Bbr3):
    """ProbeRTT comes each ten seconds instead of five."""

    def __init__(self) -> None:
        super().__init__(probe_rtt_window=10.0)


class IgnoresAggregation(Bbr3):
    """The window leaves out what acknowledgments bring at once."""

    def update_ack_aggregation(self) -> None:
        self.extra_acked = 0.0


class KeepsProbing(Bbr3):
    """Losses in a probe lower no bound and end nothing."""

    def handle_inflight_too_high(self, tx_in_flight: float, app_limited: bool) -> None:
        pass


MUTANTS = {
    StartsEarly: "startup-plateau",
    NeverDrains: "drain-inflight",
    ForgetsNothing: "decrease",
    ProbesRarely: "probe-rtt",
    IgnoresAggregation: "cruise-aggregation",
    KeepsProbing: "up-loss",
}
"""Each mutant, and the case that it fails."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_each_mutant_fails_the_case_of_its_fault(mutant: type[Bbr3]) -> None:
    case = MUTANTS[mutant]
    done = conform(made(mutant), "bbr", only=[case], seeds=1)
    assert done.verdict(case).outcome is Outcome.FAILS


@pytest.mark.parametrize("case", sorted(set(MUTANTS.values())))
def test_the_second_reading_meets_what_its_mutants_fail(case: str) -> None:
    done = conform(made(Bbr3), "bbr", only=[case], seeds=1)
    assert done.verdict(case).outcome is Outcome.HOLDS


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
