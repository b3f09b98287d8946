//! Sources that write at a rate, or in spans.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// A flow over 10 Mbit/s and a round trip of 20 ms; a packet of 1500 bytes carries 1460.
fn text(flow: &str) -> String {
    format!(
        "name = \"on-off\"\nduration = \"20 s\"\n[topology.dumbbell]\nbottleneck = {{ rate = \"10 Mbit/s\", delay = \"10 ms\", \
         buffer = \"30 packets\" }}\naccess = {{ rate = \"1 Gbit/s\", delay = \"0 s\" }}\n[tcp]\nalgorithm = \"sack\"\n\
         header = \"40 bytes\"\n[trace]\ninterval = \"100 ms\"\n[[flow]]\n{flow}"
    )
}

fn run(flow: &str) -> Output {
    let scenario = Scenario::from_toml(&text(flow), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real(output: &Output, table: &str, column: &str) -> Vec<f64> {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("no {column}")).to_vec()
}

/// The megabits that arrive between two times.
fn arrived(output: &Output, from: f64, to: f64) -> f64 {
    let (times, rates) =
        (real(output, "flow_series", "time_s"), real(output, "flow_series", "goodput_bit_per_s"));
    let within = times.iter().zip(&rates).filter(|(time, _)| **time > from + 0.01 && **time < to + 0.01);
    within.map(|(_, rate)| rate * 0.1 / 1e6).sum()
}

/// 1.46 Mbit/s are 125 packets of 1460 bytes in a second.
#[test]
fn a_source_of_a_rate_sends_at_that_rate_where_the_path_lets_it() {
    let output = run("write_rate = \"1.46 Mbit/s\"");
    let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
    assert!((goodput - 1.46e6).abs() < 0.01e6, "{goodput}");
    let wire = real(&output, "flows", "throughput_bit_per_s")[0];
    assert!((wire - 1.5e6).abs() < 0.01e6, "the rate is of payload: {wire} on the wire");
    // Nothing queues: no round trip is longer than the path and the delay of an acknowledgment of every second packet.
    assert!(real(&output, "links", "mean_queue_packets")[0] < 0.01);
    assert!(real(&output, "flows", "finish_s")[0].is_nan(), "more would come");
}

#[test]
fn above_the_rate_of_the_path_tcp_sends_what_it_may() {
    let (paced, bulk) = (run("write_rate = \"50 Mbit/s\""), run(""));
    let [paced, bulk] = [paced, bulk].map(|output| real(&output, "flows", "goodput_bit_per_s")[0]);
    assert!((paced / bulk - 1.0).abs() < 0.02, "{paced} and {bulk} bit/s");
}

/// Data that TCP could not send wait. After an outage of the path the source catches up, as iperf3 does, whose rate is a mean.
#[test]
fn what_waits_is_sent_later() {
    let outage = text("write_rate = \"1.46 Mbit/s\"").replace(
        "buffer = \"30 packets\"",
        "buffer = \"30 packets\", outage = { spans = [[\"5 s\", \"7 s\"]] }",
    );
    let scenario = Scenario::from_toml(&outage, &[]).unwrap_or_else(|error| panic!("{error}"));
    let output = Simulation::new(&scenario).unwrap().run();
    assert!(arrived(&output, 5.2, 7.0) < 0.1);
    let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
    assert!((goodput - 1.46e6).abs() < 0.01e6, "{goodput}");
}

/// Between the spans nothing arrives; in each, the path is full, but for the slow start after the silence.
#[test]
fn a_source_without_a_rate_fills_the_path_in_its_spans() {
    let output = run(
        "write_rate = \"unlimited\"\nactive = { spans = [[\"0 s\", \"5 s\"], [\"10 s\", \"14 s\"]] }\nstart = \"1 s\"",
    );
    let silent = [(0.0, 1.0), (6.1, 11.0), (15.1, 20.0)];
    for (from, to) in silent {
        assert!(
            arrived(&output, from, to) == 0.0,
            "{} Mbit from {from} s to {to} s",
            arrived(&output, from, to)
        );
    }
    for (from, to) in [(1.0, 6.1), (11.0, 15.1)] {
        let full = 10.0 * 1460.0 / 1500.0 * (to - 0.1 - from);
        let part = arrived(&output, from, to) / full;
        assert!((0.85..=1.01).contains(&part), "{part} of what fits from {from} s to {to} s");
    }
    assert!(real(&output, "flows", "finish_s")[0].is_nan());
    let syns = output.table("flows").unwrap().count("control_packets_lost").unwrap()[0];
    assert_eq!(syns, 0);
}

/// A second of 125 packets, a second without, and so on: ten times 125 packets in twenty seconds.
#[test]
fn spans_and_silences_alternate() {
    let output =
        run("write_rate = \"1.46 Mbit/s\"\non = { constant = \"1 s\" }\noff = { constant = \"1 s\" }");
    let packets = output.table("flows").unwrap().count("packets_delivered").unwrap()[0];
    assert!((1248..=1251).contains(&packets), "{packets}");
    for second in 0..10 {
        let from = f64::from(second) * 2.0;
        let within = arrived(&output, from, from + 1.1) / 1.46;
        assert!((0.95..=1.01).contains(&within), "{within} of the second from {from} s");
    }
}

/// At the stop what waits is given up: a source of ten times the path's rate has sent no more than the path took.
#[test]
fn a_source_stops() {
    let output = run("write_rate = \"100 Mbit/s\"\nstop = \"3 s\"");
    let later = arrived(&output, 3.3, 20.0);
    assert!(later <= 0.0, "{later} Mbit arrive after the stop");
    let packets = output.table("flows").unwrap().count("packets_delivered").unwrap()[0];
    assert!(packets < 2600, "{packets}: 2500 packets fit three seconds");
    let measured = real(&output, "flows", "measured_s")[0];
    assert!((3.0..3.6).contains(&measured), "{measured} s: losses are repaired");
}

#[test]
fn state_is_shared_with_a_source_that_stays_open() {
    let output = run("write_rate = \"1.46 Mbit/s\"\ncount = 2\ntcp = { sharing = \"ensemble\" }");
    for goodput in real(&output, "flows", "goodput_bit_per_s") {
        assert!((goodput - 1.46e6).abs() < 0.01e6, "{goodput}");
    }
}

#[test]
fn what_no_source_can_do_is_refused_with_its_key() {
    let spans = |spans: &str| format!("write_rate = \"1 Mbit/s\"\nactive = {{ spans = {spans} }}");
    let on = "on = { constant = \"1 s\" }";
    let cases = [
        (
            "active = { spans = [[\"0 s\", \"1 s\"]] }".to_owned(),
            "flow.0.write_rate",
            "missing; the application \"on-off\"",
        ),
        ("write_rate = \"0 bit/s\"".to_owned(), "flow.0.write_rate", "a rate of zero"),
        ("write_rate = 5".to_owned(), "flow.0.write_rate", "without a unit"),
        ("write_rate = \"fast\"".to_owned(), "flow.0.write_rate", "or \"unlimited\""),
        (spans("[[\"2 s\", \"1 s\"]]"), "flow.0.active.spans.0", "ends after it begins"),
        (spans("[[\"0 s\", \"3 s\"], [\"2 s\", \"4 s\"]]"), "flow.0.active.spans.1", "ends at 3 s"),
        (
            format!("{}\n{on}\noff = {{ constant = \"1 s\" }}", spans("[[\"0 s\", \"3 s\"]]")),
            "flow.0.on",
            "twice",
        ),
        (format!("write_rate = \"1 Mbit/s\"\n{on}"), "flow.0.off", "silences between them"),
        ("write_rate = \"1 Mbit/s\"\npackets = 5".to_owned(), "flow.0.write_rate", "on-off"),
        ("write_rate = \"1 Mbit/s\"\nalgorithm = \"acknak\"".to_owned(), "flow.0.write_rate", "only TCP"),
        ("write_rate = \"1 Mbit/s\"\nstack = \"quinn\"".to_owned(), "flow.0.stack", "write_rate"),
    ];
    for (flow, key, words) in cases {
        let error = Scenario::from_toml(&text(&flow), &[]).unwrap_err();
        assert_eq!(error.key.as_deref(), Some(key), "{flow}: {error}");
        assert!(error.to_string().contains(words), "{flow}: {error}");
    }
}
