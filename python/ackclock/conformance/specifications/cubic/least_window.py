"""A loss leaves two packets at least."""

from dataclasses import replace

from ackclock.conformance.specifications.reno.least_threshold import CASE as LEAST

CASE = replace(
    LEAST,
    number=13,
    section="RFC 9438, 4.6; RFC 9002, 7.2",
    title="A loss leaves a threshold of two packets at least",
    statement=(
        "However little is outstanding, a loss leaves a threshold of two packets. The window of QUIC is two "
        "packets at least."
    ),
    scenario={
        **LEAST.scenario,
        "tcp": {"segments_per_ack": 1, "initial_window": "1 packets", "initial_ssthresh": "3 packets"},
    },
    why=(
        "The first packet and the probe after it are lost. Senders count the probe as outstanding or not: "
        "0.7 of two packets are 1.4, so that two are left either way."
    ),
)
