//! Faults found by random whole simulations, each as the smallest scenario that shows it.

use super::random::{Outcome, check};

/// A scenario on a link of 1 Mbit/s from `a` to `b`, 10 ms long.
fn scenario(link: &str, rest: &str) -> String {
    format!(
        "name = \"finding\"\nduration = \"10 s\"\n[topology.graph]\nlink = [{{ from = \"a\", to = \"b\", rate = \"1 Mbit/s\", \
         delay = \"10 ms\" {link} }}]\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n{rest}"
    )
}

fn holds(text: &str) {
    assert_eq!(check(text), Ok(Outcome::Ran), "{text}");
}

/// Seed 279: the time "never" was rounded up to the next tick, past the last instant. In release builds the timer of a
/// sender without data fired from the start of the run.
#[test]
fn a_coarse_clock_does_not_wake_a_tfrc_sender_that_has_nothing_to_send() {
    holds(&scenario(
        "",
        "algorithm = \"tfrc(granularity=2.5)\"\npackets = 3\nthink = { constant = \"1 s\" }",
    ));
}

/// Seed 717: the nofeedback timer ends a transfer after 2 s, and the first report comes later.
#[test]
fn a_report_after_the_end_of_a_tfrc_transfer_does_not_establish_it() {
    holds(&scenario(", reverse = { delay = \"3 s\" }", "algorithm = \"tfrc\"\npackets = 1"));
}

/// Seeds 717 and 1523: packets that arrive after the transport has given them up counted, but not the time until then.
#[test]
fn what_arrives_after_a_flow_has_closed_counts_with_its_time() {
    holds(&scenario(", reverse = { delay = \"4 s\" }", "algorithm = \"tfrc\"\npackets = 600"));
    let busy = "send_overhead = { constant = \"100 ms\" }";
    holds(&scenario("", &format!("algorithm = \"acknak\"\nstop = \"2 s\"\n{busy}")));
}

/// Seed 810: a client that starts after the end had a row in the table of responses.
#[test]
fn a_client_that_starts_after_the_end_requests_nothing() {
    let size = "{ size = { constant = \"1 packet\" } }";
    let text =
        format!("count = 20\nstart = \"5 s\"\nstart_jitter = \"10 s\"\nrequest = {size}\nresponse = {size}");
    holds(&scenario("", &text));
}

/// Seed 922: FQ-CoDel with room for one packet looked without end for a queue with bytes to drop, where all held packets of
/// no bytes.
#[test]
fn a_full_queue_of_packets_without_bytes_drops_them() {
    let queue = ", queue = \"fq-codel(limit=1)\"";
    holds(&scenario(queue, "count = 4\ntcp = { header = \"0 bytes\" }"));
}

/// Seed 3886: a response that was requested before the stop counted, but not the time that it took after it.
#[test]
fn responses_after_the_stop_count_with_their_time() {
    let exchange = "request = { size = { constant = \"1 packet\" } }\nresponse = { size = { constant = \"300 packets\" } }";
    holds(&scenario("", &format!("stop = \"0.5 s\"\n{exchange}")));
}

/// Seeds 104418 and 114134: packets of an object that a reset had cut off arrived later, and completed an object of the next page,
/// which had none.
#[test]
fn what_arrives_of_an_object_that_was_cut_off_is_none_of_the_next_page() {
    holds(include_str!("findings/late_object.toml"));
}

/// Seed 104635: the data of a SYN arrived after the stop of its sender and counted, but not the time until then.
#[test]
fn data_of_a_syn_that_arrives_after_the_stop_counts_with_its_time() {
    // The first connection obtains the cookie of the second.
    let first = "packets = 1\ntcp = { fast_open = true }\n[[flow]]\nfrom = \"a\"\nto = \"b\"";
    let second = format!("{first}\nstart = \"1 s\"\nstop = \"1.005 s\"\ntcp = {{ fast_open = true }}");
    holds(&scenario("", &format!("{second}\npackets = 1")));
    let page = "size = { constant = \"1 packet\" }\npool = { connections = 1, objects = { constant = \"1 object\" } }";
    holds(&scenario("", &format!("{second}\n{page}\nthink = {{ constant = \"1 s\" }}\nthink_first = false")));
}

/// Seeds 3008823 and 3012296: copies that the end of a tunnel dropped counted as losses of packets that the link had admitted, so that more
/// were lost than had come. In release builds the bytes that it had forwarded were some below 2^64.
#[test]
fn copies_that_a_tunnel_drops_are_no_losses_of_its_link() {
    // Packets without ECN that the queue marks in the tunnel: all but the first few.
    let tunnel = ", ecn_threshold = \"0 packets\", tunnel = \"capable\", impairments = [\"duplication(probability=1)\"]";
    let flood = "packets = 1\n[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"2 Mbit/s\"";
    holds(&scenario(&format!(", buffer = \"5 packets\"{tunnel}"), flood));
}
