//! Bounds of scenarios: what would be computed wrongly, never end or exhaust the machine is refused before the run.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

fn text(top: &str, link: &str, flows: &str) -> String {
    format!(
        r#"
name = "bounds"
duration = "1 s"
{top}
[[topology.graph.link]]
from = "a"
to = "b"
{link}
{flows}
"#
    )
}

const LINK: &str = "rate = \"1 Gbit/s\"\ndelay = \"1 ms\"";
const FLOW: &str = "[[flow]]\nfrom = \"a\"\nto = \"b\"";

fn error(text: &str) -> String {
    match Scenario::from_toml(text, &[]) {
        Ok(_) => panic!("this was accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

fn run(text: &str) -> Output {
    Simulation::new(&Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}")))
        .unwrap()
        .run()
}

#[test]
fn rates_that_nanoseconds_cannot_express_are_refused() {
    let fast = error(&text("", "rate = \"10000 Gbit/s\"\ndelay = \"1 ms\"", FLOW));
    assert!(fast.contains("topology.graph.link.0.rate: found 10000 Gbit/s; at most 1000 Gbit/s"), "{fast}");
    let datagrams = "[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1001 Gbit/s\"";
    let fast = error(&text("", LINK, datagrams));
    assert!(fast.contains("udp.0.rate: found 1001 Gbit/s; at most 1000 Gbit/s"), "{fast}");
    let poisson = "[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"90 Gbit/s\"\npattern = \"poisson\"";
    let dense = error(&text("", LINK, poisson));
    assert!(dense.contains("at least 100 ns, so a rate of at most 80 Gbit/s"), "{dense}");
}

/// Datagrams of 28 bytes at 300 Gbit/s: 0.7467 ns apart, which is no whole number of nanoseconds.
#[test]
fn datagrams_leave_at_their_rate() {
    let flows = "[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"300 Gbit/s\"\npacket = \"28 bytes\"";
    let short =
        text("", "rate = \"1e6 packets/ms\"\ndelay = \"0 ms\"", flows).replace("\"1 s\"", "\"10 us\"");
    let output = run(&short);
    let sent = output.table("flows").unwrap().count("packets_sent").unwrap()[0];
    assert_eq!(sent, 13_394, "the first at 0, and number 13,393 at 10,000.1 ns, to the nearest nanosecond");
}

/// 40 bytes at 1000 Gbit/s take 0.32 ns; a nanosecond each would be a third of the rate.
#[test]
fn packets_that_a_link_would_serve_at_another_rate_are_refused() {
    let link = |rate: &str| format!("rate = \"{rate}\"\ndelay = \"1 ms\"");
    let datagrams = |size: u32| {
        format!("[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Gbit/s\"\npacket = \"{size} bytes\"")
    };
    let small = error(&text("", &link("1000 Gbit/s"), &datagrams(40)));
    assert!(
        small.contains("udp.0.packet: packets of 40 bytes on the wire take 0.32 ns on a->b at 1000 Gbit/s"),
        "{small}"
    );
    assert!(
        small.contains("at most 64 Gbit/s for such packets, or packets of at least 625 bytes"),
        "{small}"
    );
    for (rate, size, is_right) in [
        ("64 Gbit/s", 40, true),
        ("1000 Gbit/s", 625, true),
        ("1000 Gbit/s", 624, true),
        ("320 Gbit/s", 40, true),
        ("250 Gbit/s", 40, false),
        ("1e6 packets/ms", 40, true),
    ] {
        let found = Scenario::from_toml(&text("", &link(rate), &datagrams(size)), &[]);
        assert_eq!(found.is_ok(), is_right, "{size} bytes at {rate}");
    }
    let tcp = error(&text("tcp.mss = \"10 bytes\"", &link("1000 Gbit/s"), FLOW));
    assert!(tcp.contains("flow.0.tcp.mss: packets of 50 bytes on the wire take 0.40 ns"), "{tcp}");
    let acknak = format!("{FLOW}\nalgorithm = \"acknak\"\nacknak.packet = \"40 bytes\"");
    let acknak = error(&text("", &link("1000 Gbit/s"), &acknak));
    assert!(acknak.contains("flow.0.acknak.packet: packets of 40 bytes on the wire"), "{acknak}");
    // Acknowledgments of 40 bytes come one for each packet of 1500.
    assert!(Scenario::from_toml(&text("", &link("1000 Gbit/s"), FLOW), &[]).is_ok());
}

#[test]
fn durations_out_of_bounds_are_refused() {
    for (table, key, value, bound) in [
        ("[tcp]", "rto_max", "1 ns", "at least 1 us"),
        ("[tcp]", "rto_min", "999 ns", "at least 1 us"),
        ("[tcp]", "rto_initial", "0 s", "at least 1 us"),
        ("[tcp]", "syn_timeout", "10 ns", "at least 1 us"),
        ("[tcp]", "rto_max", "1000001 s", "at most 1000000 s"),
        ("[tcp]", "clock_granularity", "1000001 s", "at most 1000000 s"),
        ("[tcp]", "ack_delay", "1000001 s", "at most 1000000 s"),
        ("[acknak]", "syn_interval", "1 ns", "at least 1 us"),
    ] {
        // The initial and the least timeout are at most the greatest.
        let found = error(&text("", LINK, &format!("{table}\n{key} = \"{value}\"\n{FLOW}")));
        assert!(found.contains(key) && found.contains(bound), "{key} = {value}: {found}");
    }
    let slow = error(&text("", "rate = \"1 Gbit/s\"\ndelay = \"1000001 s\"", FLOW));
    assert!(slow.contains("delay: found 1000001 s; at most 1000000 s"), "{slow}");
    let long = error(&text("", LINK, FLOW).replace("\"1 s\"", "\"1e10 s\""));
    assert!(long.contains("duration: found 10000000000 s; at most 1000000000 s"), "{long}");
}

/// An event makes all updates due since the last packet.
#[test]
fn updates_of_a_queue_are_bounded_over_the_run() {
    let queue = "rate = \"1 Gbit/s\"\ndelay = \"1 ms\"\nqueue = { pie = { update = \"1 us\" } }";
    let text = text("", queue, FLOW);
    assert!(Scenario::from_toml(&text, &[]).is_ok());
    let often = error(&text.replace("\"1 s\"", "\"1000 s\""));
    assert!(often.contains("2000000000 updates in 1000 s"), "{often}");
    assert!(
        often.contains("with the period 1 us; at most 100000000 together, so periods of at least 20 us"),
        "{often}"
    );
}

#[test]
fn the_memory_of_a_run_is_estimated_and_bounded() {
    let queue = "rate = \"1 Gbit/s\"\ndelay = \"1 ms\"\nqueue = { sfq = { buckets = 1048576 } }";
    let link = |n| format!("[[topology.graph.link]]\nfrom = \"n{n}\"\nto = \"m{n}\"\n{queue}\n");
    let links = (0..30).map(link).collect::<Vec<String>>().concat();
    let large = error(&text("", LINK, &format!("{links}{FLOW}")));
    assert!(large.starts_with("memory_limit: found a limit of 2 GB;"), "{large}");
    assert!(large.contains("about 3.5 GB") && large.contains("set memory_limit = \"4 GB\""), "{large}");
    assert!(
        Scenario::from_toml(&text("memory_limit = \"4 GB\"", LINK, &format!("{links}{FLOW}")), &[]).is_ok()
    );
    // Seed 136104: the buckets of a gateway that protects retransmissions did not count.
    let protecting = links.replace("{ sfq = { buckets = 1048576 } }", "{ protect = { buckets = 1048576 } }");
    let gateways = error(&text("", LINK, &format!("{protecting}{FLOW}")));
    assert!(gateways.contains("about 3.5 GB"), "{gateways}");
    let small = error(&text("memory_limit = \"1 kB\"", LINK, FLOW));
    assert!(small.contains("memory_limit"), "{small}");
}
