"""TCP Fast Open (RFC 7413), for a file of one packet over an idle path: the time until it is acknowledged.

SYNs leave after 0, 1, 3, 7, .. seconds; the server repeats a SYN-ACK that is not acknowledged in the same
way. The lost SYNs and SYN-ACKs are given.
"""

from collections.abc import Collection

ATTEMPTS = 5


def acknowledged_s(
    one_way_s: float, lost_syns: Collection[int], lost_syn_acks: Collection[int], *, has_cookie: bool
) -> tuple[float, bool]:
    """Seconds from the first SYN to the packet's acknowledgment, and whether the SYN-ACK acknowledged it.

    SYNs and SYN-ACKs are counted from 1 in the order in which they are sent.
    """
    sent = [(2.0**attempt - 1.0, attempt + 1) for attempt in range(ATTEMPTS)]
    arrived = [(time + one_way_s, number) for time, number in sent if number not in lost_syns]
    first = arrived[0][0]
    # Each SYN is answered (section 3.10.7 of RFC 9293), and the server's timer repeats the answer.
    answers = sorted([time for time, _ in arrived] + [first + 2.0**n - 1.0 for n in range(1, ATTEMPTS)])
    received = [time for number, time in enumerate(answers, 1) if number not in lost_syn_acks]
    established = received[0] + one_way_s
    # Section 4.2.2: the server takes the data of a SYN with its cookie. Only the first SYN has any (4.2.1).
    in_syn = has_cookie and 1 not in lost_syns
    return (established if in_syn else established + 2 * one_way_s), in_syn
