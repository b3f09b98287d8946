//! The stop of a flow: nothing new is sent from then on, and a file that it cuts off is not finished.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

const TRANSPORTS: [&str; 3] = ["newreno", "acknak", "tfrc"];

/// Flows from a to b over 1 Mbit/s and 20 ms each way; `forward` and `backward` are further keys of the link.
fn run_over(link: &str, settings: &str, flow: &str) -> Output {
    let text = format!(
        r#"
name = "stop"
duration = "20 s"
{settings}

[[topology.graph.link]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "20 ms"
buffer = "30 packets"
{link}

[[flow]]
from = "a"
to = "b"
{flow}
"#
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn run(flow: &str) -> Output {
    run_over("", "", flow)
}

fn real(output: &Output, table: &str, column: &str) -> Vec<f64> {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("no {column}")).to_vec()
}

fn count(output: &Output, table: &str, column: &str) -> Vec<u64> {
    output
        .table(table)
        .and_then(|table| table.count(column))
        .unwrap_or_else(|| panic!("no {column}"))
        .to_vec()
}

/// Each packet that reaches the receiver carries data, but for one SYN. One that is sent instead of a packet whose
/// reply was lost carries nothing new: this many less are delivered.
#[test]
fn the_packets_delivered_over_acknak_never_fall() {
    let lossy = "reverse = { loss = { bernoulli = 0.3 } }";
    for warm_up in ["0 s", "950 ms"] {
        let output = run_over(
            lossy,
            &format!("warm_up = \"{warm_up}\"\n[trace]\ninterval = \"50 ms\""),
            "algorithm = \"acknak\"\nstop = \"1 s\"",
        );
        let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
        assert!((0.0..=1e6).contains(&goodput), "{goodput}");
        let series = real(&output, "flow_series", "goodput_bit_per_s");
        assert!(series.iter().all(|goodput| (0.0..=1.2e6).contains(goodput)), "{series:?}");
        if warm_up == "0 s" {
            let arrived = count(&output, "links", "packets_forwarded")[0] - 1;
            let [sent, repeated] =
                ["packets_sent", "retransmissions"].map(|name| count(&output, "flows", name)[0]);
            assert!(sent - repeated < arrived, "{repeated} of {sent}, of which {arrived} arrived");
            assert_eq!(count(&output, "flows", "packets_delivered"), [sent - repeated]);
        }
    }
}

#[test]
fn a_file_that_the_stop_cuts_off_is_not_finished() {
    for algorithm in TRANSPORTS {
        let output =
            run(&format!("packets = 1000\nalgorithm = \"{algorithm}\"\nstop = \"2 s\"\nstart = \"1 s\""));
        let delivered = count(&output, "flows", "packets_delivered")[0];
        assert!((1..200).contains(&delivered), "{algorithm}: {delivered} packets");
        assert!(real(&output, "flows", "finish_s")[0].is_nan(), "{algorithm}");
        assert!(real(&output, "transfers", "finish_s")[0].is_nan(), "{algorithm}");
        assert_eq!(count(&output, "transfers", "packets"), [1000], "{algorithm}: the size of the file");
        assert!(count(&output, "transfer_classes", "transfers").iter().all(|&n| n == 0), "{algorithm}");
        let measured = real(&output, "flows", "measured_s")[0];
        assert!((1.0..2.5).contains(&measured), "{algorithm}: until all is acknowledged: {measured} s");
        let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
        let bits = 8.0 * count(&output, "flows", "bytes_delivered")[0] as f64;
        assert!((goodput - bits / measured).abs() < 1e-6 && goodput < 1e6, "{algorithm}: {goodput}");
    }
}

#[test]
fn a_file_sent_before_the_stop_is_finished() {
    for algorithm in TRANSPORTS {
        let output = run(&format!("packets = 10\nalgorithm = \"{algorithm}\"\nstop = \"19 s\""));
        let finish = real(&output, "transfers", "finish_s");
        assert!(finish[0] < 19.0, "{algorithm}: {finish:?}");
        assert_eq!(real(&output, "flows", "finish_s"), finish, "{algorithm}");
        assert_eq!(real(&output, "flows", "measured_s"), finish, "{algorithm}");
    }
}

/// A flow without a size ends at its stop, and is finished when all that it has sent is acknowledged.
#[test]
fn a_flow_without_a_size_finishes_after_its_stop() {
    for algorithm in TRANSPORTS {
        let output = run(&format!("algorithm = \"{algorithm}\"\nstop = \"2 s\""));
        let finish = real(&output, "flows", "finish_s")[0];
        assert!((2.0..3.0).contains(&finish), "{algorithm}: {finish}");
        assert_eq!(real(&output, "flows", "measured_s"), [finish], "{algorithm}");
        assert!(real(&output, "flows", "goodput_bit_per_s")[0] < 1e6, "{algorithm}");
    }
}

#[test]
fn nothing_opens_at_the_stop_or_later() {
    for algorithm in TRANSPORTS {
        let late = "count = 20\narrivals = { poisson = { rate = \"5 flows/s\" } }\nstop = \"1 s\"";
        let output = run(&format!("algorithm = \"{algorithm}\"\n{late}"));
        let starts = real(&output, "flows", "start_s");
        let sent = count(&output, "flows", "packets_sent");
        assert!(starts.iter().any(|start| *start >= 1.0), "{starts:?}");
        for (flow, start) in starts.iter().enumerate().filter(|(_, start)| **start >= 1.0) {
            assert_eq!(sent[flow], 0, "{algorithm}: begins at {start} s");
            assert!(real(&output, "flows", "established_s")[flow].is_nan(), "{algorithm}: {start} s");
            assert!(real(&output, "flows", "finish_s")[flow].is_nan(), "{algorithm}: {start} s");
        }
    }
}

/// The SYN-ACK arrives after the stop: nothing is ever sent.
#[test]
fn a_connection_established_after_the_stop_is_not_finished() {
    for algorithm in ["newreno", "acknak"] {
        for size in ["", "packets = 5"] {
            let output = run(&format!("algorithm = \"{algorithm}\"\nstop = \"10 ms\"\n{size}"));
            assert_eq!(count(&output, "flows", "packets_sent"), [0], "{algorithm}");
            assert!(real(&output, "flows", "finish_s")[0].is_nan(), "{algorithm}");
        }
    }
}

/// Sources that send file after file: the one under way at the stop is cut off, and none follows.
#[test]
fn of_many_files_the_one_at_the_stop_is_cut_off() {
    for algorithm in TRANSPORTS {
        let think = "packets = 40\nthink = { constant = \"10 ms\" }\nthink_first = false\nstop = \"5 s\"";
        let output = run(&format!("algorithm = \"{algorithm}\"\n{think}"));
        let finish = real(&output, "transfers", "finish_s");
        let unfinished = finish.iter().filter(|finish| finish.is_nan()).count();
        assert!(finish.len() > 1 && unfinished <= 1, "{algorithm}: {finish:?}");
        assert!(real(&output, "transfers", "start_s").iter().all(|start| *start < 5.0));
        let bits = count(&output, "flows", "bytes_delivered")[0] as f64 * 8.0;
        let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
        assert!(goodput <= bits / 5.0 && goodput > bits / 6.0, "{algorithm}: {goodput}");
    }
}

/// A page of eight objects over two connections: the stop cuts off two objects, and the other six are not fetched.
#[test]
fn a_page_that_the_stop_cuts_off_is_not_finished() {
    for persistent in [false, true] {
        let pool = format!(
            "pool = {{ connections = 2, persistent = {persistent}, objects = {{ constant = \"8 objects\" }} }}"
        );
        let output = run(&format!("packets = 200\n{pool}\nstop = \"1 s\""));
        let finish = real(&output, "pages", "finish_s");
        assert!(finish.len() == 1 && finish[0].is_nan(), "persistent: {persistent}: {finish:?}");
        assert_eq!(count(&output, "users", "pages"), [0]);
        let finish = real(&output, "transfers", "finish_s");
        assert_eq!(finish.iter().filter(|finish| finish.is_nan()).count(), 2, "{finish:?}");
        assert!(real(&output, "transfers", "start_s").iter().all(|start| *start < 1.0));
        let waited = real(&output, "users", "waited_s")[0];
        assert!((1.0..3.0).contains(&waited), "the user leaves when the connections are done: {waited}");
    }
}

/// Datagrams that arrive after the stop count, and so does the time until then.
#[test]
fn datagrams_are_measured_until_the_last_has_arrived() {
    let text = r#"
name = "stop"
duration = "10 s"
[[topology.graph.link]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "20 ms"
[[udp]]
from = "a"
to = "b"
rate = "2 Mbit/s"
packet = "1000 bytes"
stop = "1 s"
"#;
    let output = Simulation::new(&Scenario::from_toml(text, &[]).unwrap()).unwrap().run();
    assert_eq!(count(&output, "flows", "packets_delivered"), [250]);
    let measured = real(&output, "flows", "measured_s")[0];
    assert!((measured - 2.02).abs() < 1e-9, "250 packets of 8 ms each, and 20 ms on the way: {measured}");
    assert!(real(&output, "flows", "finish_s")[0].is_nan(), "datagrams have no end");
}
