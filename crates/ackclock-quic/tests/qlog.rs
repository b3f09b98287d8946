//! The logs of the stacks: records as qvis reads them, and facts as the run's tables have them.

mod common;

use ackclock_simulation::Output;
use common::{SHALLOW, flow, flows, run, scenario};
use serde_json::Value;

const SECONDS: u32 = 4;

fn logged(stack: &str, own: &str) -> Output {
    run(&scenario(SHALLOW, &(flow("reno(limit=inf)", Some(stack)) + own), SECONDS))
}

/// The header and the events of a JSON text sequence.
fn records(log: &[u8]) -> (Value, Vec<Value>) {
    let text = std::str::from_utf8(log).expect("UTF-8");
    assert!(text.ends_with('\n'), "the last record is whole");
    let mut records = text.split('\u{1e}');
    assert_eq!(records.next(), Some(""), "a separator begins every record");
    let mut values = records.map(|record| serde_json::from_str(record).expect("JSON"));
    (values.next().expect("a header"), values.collect())
}

fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["name"] == *name).map(|event| &event["data"])
}

#[test]
fn a_log_says_what_the_tables_say() {
    for stack in ["quinn", "noq"] {
        let output = logged(stack, "[trace]\nqlog = true\ninterval = \"1 s\"\n");
        let [(_, log)] = output.qlogs() else { panic!("one flow, one log") };
        let (header, events) = records(log);
        // qvis reads no other version, and takes the format from here.
        assert_eq!((&header["qlog_version"], &header["qlog_format"]), (&"0.3".into(), &"JSON-SEQ".into()));
        assert_eq!(header["title"], *stack);

        let times: Vec<f64> = events.iter().map(|event| event["time"].as_f64().expect("a time")).collect();
        assert!(times.is_sorted() && times[0] < 1.0, "{stack}: {:?}", &times[..3]);
        assert!((times[times.len() - 1] / f64::from(1000 * SECONDS) - 1.0).abs() < 0.01, "milliseconds");

        // The warm-up of a quarter included: the table's counts are of the whole run.
        let lost = named(&events, "recovery:packet_lost").count();
        assert!((lost as f64 - flows(&output, "retransmissions")[0]).abs() < 0.5, "{stack}: {lost}");
        assert!(lost > 20, "slow start overflows the queue: {lost}");
        let sent: Vec<&Value> = named(&events, "transport:packet_sent").collect();
        assert!(
            sent.iter().all(|packet| packet["raw"]["length"].as_u64().is_some_and(|length| length <= 1472))
        );
        let bytes: u64 = sent.iter().filter_map(|packet| packet["raw"]["length"].as_u64()).sum();
        let delivered = flows(&output, "bytes_delivered")[0];
        // In addition to what arrived there are lost packets, packets on their way, and three per cent of
        // headers.
        assert!(
            bytes as f64 > delivered * 1.02 && (bytes as f64) < delivered * 1.08,
            "{bytes} of {delivered}"
        );

        // The window at the end in the log is that of the series, whose step ends with the run.
        let window = named(&events, "recovery:metrics_updated")
            .filter_map(|data| data["congestion_window"].as_u64())
            .last();
        let series =
            output.table("flow_series").and_then(|table| table.real("cwnd_packets")).expect("a series");
        let packets = window.expect("a window") / 1472;
        assert_eq!(packets, series[series.len() - 1].floor() as u64, "{stack}");
        let smoothed = named(&events, "recovery:metrics_updated")
            .filter_map(|data| data["smoothed_rtt"].as_f64())
            .last();
        assert!(smoothed.is_some_and(|rtt| rtt > 40.0 && rtt < 55.0), "{stack}: {smoothed:?} ms");
    }
}

/// noq logs frames: every packet sent is acknowledged or lost, but for those in flight at the end.
#[test]
fn the_log_of_noq_has_acknowledgments() {
    let output = logged("noq", "[trace]\nqlog = true\n");
    let (_, events) = records(&output.qlogs()[0].1);
    let is_data = |packet: &&Value| packet["header"]["packet_type"] == "1RTT";
    let number = |packet: &Value| packet["header"]["packet_number"].as_u64().expect("a number");
    let frames = named(&events, "transport:packet_received")
        .filter(is_data)
        .filter_map(|packet| packet["frames"].as_array());
    let ranges = frames.flatten().flat_map(|frame| frame["acked_ranges"].as_array().expect("ranges"));
    let mut settled: Vec<u64> = ranges
        .flat_map(|range| {
            let ends: Vec<u64> =
                range.as_array().expect("a range").iter().filter_map(Value::as_u64).collect();
            ends[0]..=ends[ends.len() - 1]
        })
        .chain(named(&events, "recovery:packet_lost").map(number))
        .collect();
    settled.sort_unstable();
    settled.dedup();
    let sent = named(&events, "transport:packet_sent").filter(is_data).count();
    let open = sent - settled.len();
    assert!(open < 90, "the window is below 90 packets: {open} of {sent} are neither");
}

#[test]
fn a_log_changes_nothing() {
    for stack in ["quinn", "noq"] {
        let [with, without] = ["[trace]\nqlog = true\n", ""].map(|own| logged(stack, own));
        for column in ["bytes_delivered", "retransmissions", "mean_rtt_s", "mean_cwnd_packets"] {
            assert_eq!(flows(&with, column), flows(&without, column), "{stack}: {column}");
        }
        assert!(without.qlogs().is_empty());
    }
}
