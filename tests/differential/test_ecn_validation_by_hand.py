"""The reading of QUIC's validation of ECN, by the sentences of RFC 9000, 13.4.2 and A.4."""

import pytest

from reference.transport.ecn_validation import Counts, EcnValidation, State

TIMEOUT = 1.0


def path_after(packets: int = 10) -> EcnValidation:
    """A path on which these packets were sent at time zero."""
    path = EcnValidation()
    assert all(path.on_sent(0.0, number, TIMEOUT) for number in range(packets))
    return path


def state_of(path: EcnValidation) -> State:
    """The state as of now: a type checker takes an attribute for what it was."""
    return path.state


def test_ten_packets_are_marked_and_then_none_until_one_is_acknowledged() -> None:
    path = path_after()
    assert state_of(path) is State.UNKNOWN
    assert not path.on_sent(0.0, 10, TIMEOUT)
    assert path.on_ack(0.1, [0, 1], Counts(ect0=2))
    assert state_of(path) is State.CAPABLE
    assert path.on_sent(0.1, 11, TIMEOUT)


def test_the_test_ends_after_three_probe_timeouts() -> None:
    path = path_after(3)
    assert path.on_sent(2.9, 3, TIMEOUT)
    assert not path.on_sent(3.0, 4, TIMEOUT)
    assert state_of(path) is State.UNKNOWN


@pytest.mark.parametrize(
    "counts",
    [None, Counts(), Counts(ect0=1), Counts(ect1=2), Counts(ect0=2, ect1=1), Counts(ect0=11), Counts(ce=1)],
    ids=["missing", "zeroed", "too few", "renamed", "one renamed", "too many", "a mark lost"],
)
def test_counts_that_do_not_fit_two_packets_fail(counts: Counts | None) -> None:
    path = path_after()
    assert not path.on_ack(0.1, [0, 1], counts)
    assert state_of(path) is State.FAILED
    assert not path.on_sent(0.1, 10, TIMEOUT)


@pytest.mark.parametrize("counts", [Counts(ect0=2), Counts(ect0=1, ce=1), Counts(ce=2), Counts(ect0=9)])
def test_counts_may_be_larger_than_what_is_acknowledged(counts: Counts) -> None:
    """Other acknowledgments may be lost."""
    path = path_after()
    assert path.on_ack(0.1, [0, 1], counts)
    assert state_of(path) is State.CAPABLE


def test_counts_that_decrease_fail_unless_the_acknowledgment_is_old() -> None:
    path = path_after()
    assert path.on_ack(0.1, [5], Counts(ect0=3))
    assert not path.on_ack(0.1, [2], Counts(ect0=2))
    assert state_of(path) is State.CAPABLE, "the largest acknowledged packet is not increased"
    assert not path.on_ack(0.1, [6], Counts(ect0=2))
    assert state_of(path) is State.FAILED


def test_a_path_that_loses_or_marks_all_packets_of_the_test_fails() -> None:
    lossy = path_after()
    for number in range(10):
        assert state_of(lossy) is State.UNKNOWN
        lossy.on_lost(number)
    assert state_of(lossy) is State.FAILED
    marking = path_after()
    used = [marking.on_ack(0.1, [number], Counts(ce=number + 1)) for number in range(10)]
    assert used == [True] * 9 + [False]
    assert state_of(marking) is State.FAILED
