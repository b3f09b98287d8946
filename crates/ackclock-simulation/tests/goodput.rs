//! Goodput is credited as data arrives, once, and never above what the links carry.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

fn run(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real(output: &Output, table: &str, column: &str) -> Vec<f64> {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("no {column}")).to_vec()
}

fn count(output: &Output, table: &str, column: &str) -> u64 {
    output.table(table).and_then(|table| table.count(column)).unwrap_or_else(|| panic!("no {column}"))[0]
}

/// A flow over 5 Mbit/s and 50 ms, with a buffer that its slow start overflows.
fn flow(top: &str, tcp: &str) -> Output {
    run(&format!(
        r#"
name = "hole"
duration = "5 s"
{top}
[topology.graph]
link = [{{ from = "a", to = "b", rate = "5 Mbit/s", delay = "50 ms", buffer = "40 packets" }}]
[[flow]]
from = "a"
to = "b"
algorithm = "sack"
tcp = {{ {tcp} }}
"#
    ))
}

/// A whole packet may be on its way when the time begins.
const PACKET: f64 = 8.0 * 1500.0;

/// When the warm-up ends within the loss recovery, data waits behind holes: it is no part of what arrives afterwards.
#[test]
fn what_waits_behind_a_hole_at_the_end_of_the_warm_up_is_not_credited_again() {
    for millis in (200..4800).step_by(100) {
        let output = flow(&format!("warm_up = \"{millis} ms\""), "");
        let [goodput, throughput, seconds] = ["goodput_bit_per_s", "throughput_bit_per_s", "measured_s"]
            .map(|column| real(&output, "flows", column)[0]);
        assert!(goodput < throughput, "{goodput} of {throughput} bit/s from {millis} ms on");
        let bits = throughput * seconds;
        assert!(bits <= 5e6 * seconds + PACKET, "{bits} bits arrive in {seconds} s from {millis} ms on");
        let carried = count(&output, "links", "bytes_forwarded") as f64 * 8.0;
        assert!(bits <= carried + 5e6 * 0.05 + PACKET, "{bits} of {carried} bits, and those on their way");
    }
}

/// A retransmission that fills a hole delivers many packets at once, which came over several intervals.
#[test]
fn no_interval_has_more_than_the_link_carries() {
    let output = flow("trace.interval = \"20 ms\"", "");
    let series = real(&output, "flow_series", "goodput_bit_per_s");
    let greatest = series.iter().copied().fold(0.0, f64::max);
    assert!(greatest > 4e6 && greatest * 0.02 <= 5e6 * 0.02 + PACKET, "{greatest} bit/s");
    let bits: f64 = series.iter().map(|rate| rate * 0.02).sum();
    let [goodput, seconds] =
        ["goodput_bit_per_s", "measured_s"].map(|column| real(&output, "flows", column)[0]);
    assert!((bits - goodput * seconds).abs() < 1e-3, "{bits} bits in the intervals, {goodput} bit/s in all");
    let network = real(&output, "network_series", "goodput_bit_per_s");
    assert!(network.iter().zip(&series).all(|(all, one)| (all - one).abs() < 1e-3), "of one flow alone");
}

/// An optimistic receiver acknowledges what it never gets: ten times the link's rate.
#[test]
fn what_an_optimistic_receiver_conceals_does_not_count() {
    let output = flow("", "optimistic_acks = 8");
    let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
    assert!(goodput > 3e6 && goodput <= 5e6, "{goodput}");
    let delivered = count(&output, "flows", "bytes_delivered") as f64 * 8.0;
    assert!(delivered / 5.0 > goodput, "what was acknowledged as in order is more: {delivered} bits");
}

/// 8 Mbit/s of datagrams over a link that sends each twice.
#[test]
fn copies_of_datagrams_count_once() {
    let output = run(r#"
name = "copies"
duration = "10 s"
[topology.graph]
link = [{ from = "a", to = "b", rate = "20 Mbit/s", delay = "10 ms", impairments = ["duplication(probability=1)"] }]
[[udp]]
from = "a"
to = "b"
rate = "8 Mbit/s"
packet = "1000 bytes"
stop = "9 s"
"#);
    assert_eq!(output.conservation.duplicated, 9000);
    assert_eq!(count(&output, "flows", "packets_delivered"), 9000);
    let goodput = real(&output, "flows", "goodput_bit_per_s")[0];
    // 72 Mbit until the last datagram is there: it leaves a millisecond before 9 s, and takes 0.4 and 10 ms.
    assert!((goodput - 72e6 / 9.0094).abs() < 1.0, "{goodput}");
}

/// The rate of a source in talk spurts is at most its own: a packet of 1000 bytes each 1.6 ms.
#[test]
fn spurts_send_at_the_rate_at_most() {
    for (on, off) in [("1 ns", "1 ns"), ("1 ms", "1 us"), ("1 s", "1 ns"), ("1 us", "500 us")] {
        let output = run(&format!(
            r#"
name = "spurts"
duration = "1 s"
[topology.graph]
link = [{{ from = "a", to = "b", rate = "100 Mbit/s", delay = "1 ms" }}]
[[udp]]
from = "a"
to = "b"
rate = "5 Mbit/s"
packet = "1000 bytes"
on = {{ constant = "{on}" }}
off = {{ constant = "{off}" }}
"#
        ));
        let sent = count(&output, "flows", "packets_sent");
        assert!((600..=626).contains(&sent), "{sent} packets in spurts of {on} and silences of {off}");
    }
}

/// A schedule without a period has a mean of its own: 10 Mbit/s up to its last point, where 50 ms are 42 packets of 1500 bytes.
#[test]
fn a_part_of_the_bandwidth_delay_product_does_not_depend_on_the_duration() {
    for (rate, packets) in [
        (r#"steps = [["0 s", "10 Mbit/s"], ["5 s", "1 Mbit/s"]]"#, 42),
        (r#"ramps = [["0 s", "0 bit/s"], ["2 s", "20 Mbit/s"]]"#, 42),
        (r#"steps = [["0 s", "10 Mbit/s"]]"#, 42),
        (r#"steps = [["0 s", "5 Mbit/s"], ["1 s", "15 Mbit/s"]], every = "2 s""#, 42),
        (r#"steps = [["0 s", "0 bit/s"], ["1 s", "10 Mbit/s"]]"#, 42),
    ] {
        for duration in ["3 s", "10 s", "40 s"] {
            let output = run(&format!(
                r#"
name = "bdp"
duration = "{duration}"
[topology.graph]
link = [{{ from = "a", to = "b", rate = {{ {rate} }}, delay = "25 ms", buffer = "100% bdp",
           reverse = {{ rate = "1 Gbit/s", delay = "25 ms" }} }}]
[[flow]]
from = "a"
to = "b"
[[udp]]
from = "a"
to = "b"
rate = "40 Mbit/s"
"#
            ));
            let longest = count(&output, "links", "max_queue_packets");
            assert!(longest.abs_diff(packets) <= 3, "{longest} packets wait, {rate} for {duration}");
        }
    }
}
