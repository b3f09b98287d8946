//! A flow has series while it lives.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

const NETWORK: &str = r#"
name = "lives"
duration = "10 s"
trace.interval = "100 ms"
[topology.graph]
link = [{ from = "a", to = "b", rate = "4 Mbit/s", delay = "20 ms", buffer = "200 packets" }]
"#;

fn run(flows: &str) -> Output {
    let text = format!("{NETWORK}{flows}");
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario).unwrap().run()
}

/// The numbers of the samples of a flow: 12 is the one at 1.2 s.
fn samples(output: &Output, flow: u32) -> Vec<u64> {
    let series = output.table("flow_series").expect("series");
    let Some(Column::Index(flows)) = series.column("flow") else { panic!("no flows") };
    let times = series.real("time_s").expect("times").iter();
    flows
        .iter()
        .zip(times)
        .filter(|(one, _)| **one == flow)
        .map(|(_, time)| (time * 10.0).round() as u64)
        .collect()
}

#[test]
fn a_file_has_a_sample_after_its_end_and_none_before_its_start() {
    let output = run(r#"
[[flow]]
from = "a"
to = "b"
[[flow]]
from = "a"
to = "b"
packets = 100
start = "1.15 s"
"#);
    let finish = output.table("transfers").unwrap().real("finish_s").unwrap()[0];
    assert!(finish > 1.4 && finish < 9.0, "{finish} s");
    assert_eq!(samples(&output, 0), (0..=100).collect::<Vec<_>>(), "this one lives for the whole run");
    assert_eq!(samples(&output, 1), (12..=(finish * 10.0).ceil() as u64).collect::<Vec<_>>());
}

/// At 8 Mbit/s the queue is full at the stop, at 2 s: 200 packets of 1500 bytes take 0.6 s on the link.
#[test]
fn data_that_arrive_after_a_stop_have_samples() {
    let output = run(r#"
[[udp]]
from = "a"
to = "b"
rate = "8 Mbit/s"
packet = "1500 bytes"
start = "1 s"
stop = "2 s"
"#);
    assert_eq!(samples(&output, 0), (10..=27).collect::<Vec<_>>());
    let goodputs = output.table("flow_series").unwrap().real("goodput_bit_per_s").unwrap();
    let bits = goodputs.iter().map(|goodput| goodput * 0.1).sum::<f64>();
    let delivered = output.table("flows").unwrap().count("bytes_delivered").unwrap()[0];
    assert!((bits - 8.0 * delivered as f64).abs() < 1.0, "{bits} bits of {delivered} bytes");
}

#[test]
fn a_source_lives_while_it_thinks_and_until_its_stop() {
    let source = r#"
[[flow]]
from = "a"
to = "b"
size = { constant = "10 packets" }
think = { constant = "3 s" }
think_first = false
"#;
    assert_eq!(samples(&run(source), 0), (0..=100).collect::<Vec<_>>());
    let stopped = run(&format!("{source}stop = \"5 s\"\n"));
    assert_eq!(samples(&stopped, 0), (0..=50).collect::<Vec<_>>());
}

/// A thousand files in a row: few live at the same time, and series take no more than they do.
#[test]
fn rows_are_of_flows_that_live() {
    let output = run(r#"
[[flow]]
from = "a"
to = "b"
count = 1000
packets = 1
start_jitter = "9 s"
"#);
    let rows = output.table("flow_series").unwrap().real("time_s").unwrap().len();
    assert!((1000..3000).contains(&rows), "{rows} rows of a thousand short lives");
}
