"""Every packet carries ECT(1)."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import ECT_1, L4S
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the sender's packets with the codepoint."""
    share = float((trace.sent.ecn == ECT_1).mean())
    yield Verdict.near("share of data packets with ECT(1)", share, 1.0, 1e-9)


CASE = Case(
    number=1,
    section="RFC 9331, 4.1; A.1.1",
    title="Every packet carries ECT(1)",
    statement="A sender that wishes its packets to be treated as L4S sets the codepoint ECT(1).",
    scenario=L4S,
    rule="All data packets that leave the sender carry ECT(1).",
    why=(
        "The rule is exact. Retransmissions, which standard ECN leaves without a codepoint, do not occur "
        "here."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
