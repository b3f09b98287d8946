//! What is recorded changes nothing of what happens, and adds up to what happened.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

const RECORDINGS: [&str; 4] =
    ["", "trace.interval = \"100 ms\"", "trace.epoch = \"own rtt\"", "trace.packets = [\"a->b\"]"];

fn run(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real(output: &Output, table: &str, column: &str) -> Vec<f64> {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("no {column}")).to_vec()
}

fn sum(output: &Output, table: &str, column: &str) -> u64 {
    let counts = output.table(table).and_then(|table| table.count(column));
    counts.unwrap_or_else(|| panic!("no {column}")).iter().sum()
}

/// A file that is reset at its stop next to a flood of datagrams, which drops the reset: the receiver waits for ever. A file that
/// nothing records is folded into its row long before the end of the run.
#[test]
fn a_reset_that_is_lost_is_measured_alike_with_every_recording() {
    for stop in ["25 ms", "150 ms", "500 ms"] {
        let measured = RECORDINGS.map(|recording| {
            let output = run(&format!(
                r#"
name = "reset"
duration = "10 s"
{recording}
[topology.graph]
link = [{{ from = "a", to = "b", rate = "1 Mbit/s", delay = "10 ms", buffer = "20 packets" }}]
[tcp]
close_by_reset = true
[[flow]]
from = "a"
to = "b"
packets = 10
stop = "{stop}"
[[udp]]
from = "a"
to = "b"
rate = "3 Mbit/s"
start = "20 ms"
"#
            ));
            let [seconds, goodput] =
                ["measured_s", "goodput_bit_per_s"].map(|column| real(&output, "flows", column)[0]);
            (seconds.to_bits(), goodput.to_bits(), seconds)
        });
        assert!(measured.iter().all(|other| other.0 == measured[0].0 && other.1 == measured[0].1), "{stop}");
        assert!(measured[0].2 < 1.0, "until the last data arrives, not to the end: {} s", measured[0].2);
    }
}

/// Where replies come later than the timeout, a packet that counted as lost is delivered after all. What was sent again in an
/// interval stays sent again.
#[test]
fn the_retransmissions_of_the_intervals_are_all_retransmissions() {
    let output = run(r#"
name = "acknak"
duration = "20 s"
trace.interval = "200 ms"
[topology.dumbbell]
pairs = 2
bottleneck = { rate = "2 Mbit/s", delay = "40 ms", buffer = "30 packets" }
access = { rate = "10 Mbit/s", delay = "1 ms" }
[[flow]]
count = 2
algorithm = "acknak+reno"
[[flow]]
algorithm = "acknak+reno"
backward = true
"#);
    for column in ["packets_sent", "retransmissions", "timeouts", "packets_delivered"] {
        let (all, parts) = (sum(&output, "flows", column), sum(&output, "network_series", column));
        assert_eq!(all, parts, "{column}");
    }
    assert!(sum(&output, "flows", "retransmissions") > 100);
    let series = output.table("flow_series").and_then(|table| table.count("retransmissions")).unwrap();
    for flow in 0..3 {
        assert!(series.iter().skip(flow).step_by(3).is_sorted(), "the retransmissions of flow {flow} fall");
    }
}

/// The first two SYNs of three are lost, at 0 s and 1 s; from 5 s to 9 s everything is. Intervals are of 500 ms.
#[test]
fn events_of_flows_are_in_the_interval_in_which_they_happened() {
    let text = r#"
name = "events"
duration = "20 s"
[topology.graph]
link = [{ from = "a", to = "b", rate = "1 Mbit/s", delay = "20 ms", loss = { schedule = { steps = [["0 s", 1.0], ["1.5 s", 0.0], ["5 s", 1.0], ["9 s", 0.0]] } } }]
[trace]
interval = "500 ms"
[tcp]
algorithm = "newreno"
initial_ssthresh = "20 packets"
[[flow]]
from = "a"
to = "b"
"#;
    let output = Simulation::new(&Scenario::from_toml(text, &[]).unwrap()).unwrap().run();
    let events = output.table("flow_events").unwrap();
    let (times, counts) = (events.real("time_s").unwrap(), events.count("count").unwrap());
    let Some(Column::Text(kinds)) = events.column("event") else { panic!("no kinds") };
    let of = |kind: &str| -> Vec<(f64, u64)> {
        let rows = kinds.iter().zip(times.iter().zip(counts));
        rows.filter(|(known, _)| *known == kind).map(|(_, (time, count))| (*time, *count)).collect()
    };
    // The SYNs leave at 0, 1 and 3 s.
    assert_eq!(of("SYN sent again"), [(1.0, 1), (3.0, 1)]);
    let (left, _) = of("slow start left")[0];
    assert!((3.5..5.0).contains(&left), "20 packets are sent after some round trips, not at {left} s");
    // A timer of a second and more expires from 6 s on, then after two seconds, then after four.
    let timeouts = of("timeout");
    assert!(
        timeouts.len() >= 2 && timeouts.iter().all(|(time, _)| (6.0..=13.0).contains(time)),
        "{timeouts:?}"
    );
    let all: u64 = timeouts.iter().map(|(_, count)| count).sum();
    assert_eq!(output.table("flows").unwrap().count("timeouts").unwrap(), [all]);
}

/// Two datagrams reach `r` in the same nanosecond, and the link there has room for one: the first over two links, which it entered
/// first, the second over one longer link. A packet whose way is known in advance has its place among others from its first link on;
/// one that is captured had lost it, and the second datagram went before it.
#[test]
fn a_capture_changes_no_order_within_a_nanosecond() {
    let delivered = |captured: &[&str]| {
        let output = run(&format!(
            r#"
name = "tie"
duration = "300 ms"
[topology.graph]
link = [
    {{ from = "a", to = "m", rate = "1 Mbit/s", delay = "10 ms" }},
    {{ from = "m", to = "r", rate = "1 Mbit/s", delay = "10 ms" }},
    {{ from = "c", to = "r", rate = "1 Mbit/s", delay = "11 ms" }},
    {{ from = "r", to = "b", rate = "100 kbit/s", delay = "10 ms", buffer = "0 packets" }},
]
[[udp]]
from = "a"
to = "b"
rate = "1 Mbit/s"
packet = "1500 bytes"
[[udp]]
from = "c"
to = "b"
start = "21 ms"
rate = "1 Mbit/s"
packet = "1500 bytes"
[trace]
packets = {captured:?}
"#
        ));
        let of_both =
            output.table("flows").and_then(|flows| flows.count("packets_delivered")).unwrap().to_vec();
        let times = output.table("packets").map(|_| real(&output, "packets", "time_s")).unwrap_or_default();
        (of_both, times)
    };
    let (plain, none) = delivered(&[]);
    assert!(none.is_empty() && plain[0] > 0, "{plain:?}");
    for link in ["a->m", "m->r", "c->r", "r->b"] {
        let (captured, times) = delivered(&[link]);
        assert_eq!(captured, plain, "{link}");
        assert!(times.is_sorted() && !times.is_empty(), "{link}: {times:?}");
    }
    // Each takes 12 ms, and then 10 ms: 278 ms before the end they leave.
    let (_, times) = delivered(&["a->m"]);
    let expected: Vec<f64> = (1_u32..=24).map(|number| f64::from(12 * number + 10) / 1000.0).collect();
    assert_eq!(
        times, expected,
        "every packet that passes the link's end is captured, and none after the end"
    );
}

/// Two datagrams reach `r` in the same nanosecond, at 20 ms and every 20 ms after, and the link there has room for one. An event lets
/// the second into its way, from 10 ms to 20 ms, before another lets the first into its own, from 8 ms. A sample at 9 ms let the first
/// in before, and then the first was the one that was forwarded.
#[test]
fn a_series_changes_no_order_within_a_nanosecond() {
    let delivered = |interval: &str| {
        let output = run(&format!(
            r#"
name = "tie"
duration = "200 ms"
{interval}
[topology.graph]
link = [
    {{ from = "a", to = "m", rate = "10 Mbit/s", delay = "0 ms" }},
    {{ from = "b", to = "m", rate = "10 Mbit/s", delay = "0 ms" }},
    {{ from = "c", to = "n", rate = "10 Mbit/s", delay = "0 ms" }},
    {{ from = "d", to = "n", rate = "10 Mbit/s", delay = "0 ms" }},
    {{ from = "m", to = "r", rate = "10 Mbit/s", delay = "11 ms" }},
    {{ from = "n", to = "r", rate = "5 Mbit/s", delay = "8 ms" }},
    {{ from = "r", to = "e", rate = "1 Mbit/s", delay = "1 ms", buffer = "0 packets" }},
]
[[udp]]
from = "a"
to = "e"
start = "7 ms"
rate = "500 kbit/s"
packet = "1250 bytes"
[[udp]]
from = "c"
to = "e"
start = "9 ms"
rate = "500 kbit/s"
packet = "1250 bytes"
[[udp]]
count = 2
from = ["b", "d"]
to = "e"
start = "199 ms"
rate = "500 kbit/s"
packet = "1250 bytes"
"#
        ));
        output.table("flows").and_then(|flows| flows.count("packets_delivered")).unwrap().to_vec()
    };
    for interval in ["", "trace.interval = \"9 ms\"", "trace.interval = \"7 ms\""] {
        assert_eq!(delivered(interval), [9, 0, 0, 0], "{interval}: those over the link that is listed first");
    }
}
