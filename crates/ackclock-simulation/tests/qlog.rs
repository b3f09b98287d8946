//! The qlog of a simulated TCP sender: what can be reckoned by hand, and what the tables say too.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};
use serde_json::Value;

/// One flow of 1000-byte packets over 10 Mbit/s and 50 ms.
fn run(link: &str, flow: &str, trace: &str) -> Output {
    let text = format!(
        r#"
        name = "logged"
        duration = "12 s"
        trace = {{ interval = "1 s", {trace} }}
        [[topology.graph.link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "50 ms"
        {link}
        [[flow]]
        name = "flow"
        from = "a"
        to = "b"
        tcp = {{ mss = "960 bytes", initial_window = "2 packets" }}
        {flow}
        "#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"))).unwrap().run()
}

/// The events of the only log.
fn events(output: &Output) -> Vec<Value> {
    let [(flow, log)] = output.qlogs() else { panic!("one flow, one log") };
    assert_eq!(flow, "flow");
    let text = std::str::from_utf8(log).expect("UTF-8");
    let mut records = text.split('\u{1e}').skip(1).map(|record| serde_json::from_str(record).expect("JSON"));
    let header: Value = records.next().expect("a header");
    assert_eq!((&header["qlog_version"], &header["qlog_format"]), (&"0.3".into(), &"JSON-SEQ".into()));
    records.collect()
}

fn named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["name"] == *name)
}

fn number(event: &Value) -> u64 {
    event["data"]["header"]["packet_number"].as_u64().expect("a number")
}

/// The numbers of the packets that an event acknowledges.
fn acknowledged(event: &Value) -> Vec<u64> {
    let ranges = event["data"]["frames"][0]["acked_ranges"].as_array();
    let ends = |range: &Value| (range[0].as_u64().expect("a number"), range[1].as_u64().expect("a number"));
    ranges.into_iter().flatten().map(ends).flat_map(|(first, last)| first..=last).collect()
}

/// A SYN of 40 bytes arrives after 50.032 ms, its answer at 100.064 ms. Then two packets go, each of which takes 0.8 ms to
/// transmit; the second is there after 51.6 ms, and the acknowledgment of both 50.032 ms later.
#[test]
fn a_log_begins_as_reckoned_by_hand() {
    let output = run("buffer = \"unlimited\"", "algorithm = \"reno\"", "qlog = true");
    let events = events(&output);
    let got: Vec<(f64, &str, u64, Vec<u64>)> = events
        .iter()
        .filter(|event| event["name"] != "recovery:metrics_updated")
        .take(7)
        .map(|event| {
            let (time, name) =
                (event["time"].as_f64().expect("a time"), event["name"].as_str().expect("a name"));
            (time, name, number(event), acknowledged(event))
        })
        .collect();
    let (sent, received) = ("transport:packet_sent", "transport:packet_received");
    let expected = [
        (0.0, sent, 0, vec![]),
        (100.064, received, 0, vec![0]),
        (100.064, sent, 1, vec![]),
        (100.064, sent, 2, vec![]),
        (201.696, received, 1, vec![1, 2]),
        (201.696, sent, 3, vec![]),
        (201.696, sent, 4, vec![]),
    ];
    assert_eq!(got, expected);
    let sizes: Vec<u64> = named(&events, sent)
        .take(4)
        .map(|event| event["data"]["raw"]["length"].as_u64().expect("a size"))
        .collect();
    assert_eq!(sizes, [40, 1000, 1000, 1000]);
    let windows: Vec<(f64, u64)> = named(&events, "recovery:metrics_updated")
        .filter_map(|event| Some((event["time"].as_f64()?, event["data"]["congestion_window"].as_u64()?)))
        .take(3)
        .collect();
    // Slow start: a segment more for each acknowledgment (RFC 5681, 3.1).
    assert_eq!(windows[..2], [(0.0, 2 * 960), (201.696, 3 * 960)], "{windows:?}");
}

/// A log is a text with a record per line behind a separator (RFC 7464), and the fields of each record have one order.
#[test]
fn a_log_is_written_as_drafts_write_it() {
    let output = run("buffer = \"unlimited\"", "algorithm = \"reno\"", "qlog = true");
    let header = r#"{"qlog_version":"0.3","qlog_format":"JSON-SEQ","title":"flow","trace":{"vantage_point":{"name":"sender","type":"client"},"common_fields":{"protocol_type":["TCP"],"time_format":"relative","reference_time":0}}}"#;
    let records = [
        header,
        r#"{"time":0.0,"name":"transport:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":0},"raw":{"length":40}}}"#,
        r#"{"time":0.0,"name":"recovery:metrics_updated","data":{"congestion_window":1920,"bytes_in_flight":0}}"#,
        r#"{"time":100.064,"name":"transport:packet_received","data":{"header":{"packet_type":"1RTT","packet_number":0},"raw":{"length":40},"frames":[{"frame_type":"ack","acked_ranges":[[0,0]]}]}}"#,
        r#"{"time":100.064,"name":"transport:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":1},"raw":{"length":1000},"frames":[{"frame_type":"stream","stream_id":0,"offset":1,"length":960}]}}"#,
    ];
    let text = format!("\u{1e}{}\n", records.join("\n\u{1e}"));
    let (_, log) = &output.qlogs()[0];
    assert_eq!(std::str::from_utf8(&log[..text.len()]), Ok(&*text));
}

#[test]
fn a_log_says_what_the_tables_say() {
    for recovery in ["reno", "sack+reno", "rack+cubic"] {
        for link in ["buffer = \"30 packets\"", "loss = { bernoulli = 0.01 }"] {
            let output = run(link, &format!("algorithm = \"{recovery}\""), "qlog = true");
            let events = events(&output);
            let times: Vec<f64> =
                events.iter().map(|event| event["time"].as_f64().expect("a time")).collect();
            assert!(times.is_sorted());
            let flows = output.table("flows").expect("flows");
            let lost: Vec<u64> = named(&events, "recovery:packet_lost").map(number).collect();
            let retransmissions = flows.count("retransmissions").expect("a column")[0];
            assert_eq!(lost.len() as u64, retransmissions, "{recovery}, {link}");
            assert!(lost.len() > 5, "{recovery}, {link}");

            let mut settled: Vec<u64> =
                named(&events, "transport:packet_received").flat_map(acknowledged).chain(lost).collect();
            let count = settled.len();
            settled.sort_unstable();
            settled.dedup();
            assert_eq!(settled.len(), count, "a packet is acknowledged or lost once");
            // The rest are in flight at the end.
            let sent = named(&events, "transport:packet_sent").count();
            assert!(sent - count < 200, "{recovery}, {link}: {count} of {sent}");

            let series =
                output.table("flow_series").and_then(|table| table.real("cwnd_packets")).expect("series");
            let windows = named(&events, "recovery:metrics_updated")
                .filter_map(|event| event["data"]["congestion_window"].as_f64());
            let window = windows.last().expect("a window") / 960.0;
            assert!((window - series[series.len() - 1]).abs() < 1e-3, "{recovery}, {link}: {window}");
        }
    }
}

#[test]
fn a_log_changes_nothing() {
    let links =
        ["", "loss = { bernoulli = 0.01 }", "impairments = [\"reordering(probability=0.1, delay=5 ms)\"]"];
    for link in links {
        for flow in [
            "algorithm = \"rack+bbr3\"",
            "algorithm = \"sack+reno\"\nsend_overhead = { uniform = { from = \"0 ms\", to = \"1 ms\" } }",
        ] {
            let [with, without] = ["qlog = true", "qlog = false"].map(|trace| run(link, flow, trace));
            assert_eq!(with.digest(), without.digest(), "{link}, {flow}");
            assert!(!events(&with).is_empty() && without.qlogs().is_empty());
        }
    }
}

/// Files that would be made on their arrival are logged as well.
#[test]
fn files_are_logged() {
    let file = "algorithm = \"reno\"\nstart = \"1 s\"\npackets = 3";
    let output = run("", file, "flows = false, qlog = true");
    let sent = events(&output);
    let data = named(&sent, "transport:packet_sent").filter(|event| event["data"]["frames"].is_array());
    assert_eq!(data.count(), 3);
}
