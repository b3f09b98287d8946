//! Measures of flows that send less than a packet per round trip: processing times, epochs, silences, back-offs.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation, Table};

/// One flow or several over a link of 10 Mbit/s and 50 ms either way.
fn text(flow: &str, loss: &str, trace: &str) -> String {
    format!(
        r#"
        name = "one-link"
        duration = "30 s"
        [[topology.graph.link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "50 ms"
        buffer = "unlimited"
        {loss}
        [tcp]
        mss = "960 bytes"
        segments_per_ack = 1
        handshake = false
        receive_window = "64 packets"
        [[flow]]
        from = "a"
        to = "b"
        {flow}
        [trace]
        {trace}
        "#
    )
}

fn run(flow: &str, loss: &str, trace: &str) -> Output {
    let scenario =
        Scenario::from_toml(&text(flow, loss, trace), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn counts<'a>(output: &'a Output, table: &str, column: &str) -> &'a [u64] {
    output.table(table).and_then(|table| table.count(column)).unwrap_or_else(|| panic!("{table}.{column}"))
}

fn index<'a>(table: &'a Table, column: &str) -> &'a [u32] {
    match table.column(column) {
        Some(Column::Index(values)) => values,
        other => panic!("{column}: {other:?}"),
    }
}

/// A processor that takes 10 ms over a packet lets a hundred through in a second, however large the window, and never
/// one before another: nothing would look lost.
#[test]
fn a_processor_takes_one_packet_after_another() {
    for algorithm in ["newreno", "tfrc", "acknak"] {
        let flow = format!("algorithm = \"{algorithm}\"\nsend_overhead = {{ constant = \"10 ms\" }}");
        let output = run(&flow, "", "interval = \"5 s\"");
        let series = output.table("flow_series").unwrap();
        let packets_per_s = series.real("goodput_bit_per_s").unwrap()[4] / 8.0 / 960.0;
        let full = if algorithm == "acknak" { 1500.0 / 960.0 * 100.0 } else { 100.0 };
        assert!((packets_per_s / full - 1.0).abs() < 0.02, "{algorithm}: {packets_per_s}");
        assert_eq!(counts(&output, "flows", "retransmissions"), [0], "{algorithm}");
    }
}

#[test]
fn packets_keep_their_order_where_processing_varies() {
    let output = run(
        "send_overhead = { exponential = { mean = \"3 ms\" } }\nsize = { constant = \"2000 packets\" }",
        "",
        "",
    );
    assert_eq!(counts(&output, "flows", "packets_delivered"), [2000]);
    assert_eq!(counts(&output, "flows", "packets_sent"), [2000], "reordering would have looked like loss");
}

/// Of two flows that meet nowhere, one's processing is its own affair; and a further flow shifts nobody's draws.
#[test]
fn processing_times_are_drawn_for_each_flow() {
    let finish = |count: u32| {
        let overhead = "send_overhead = { uniform = { from = \"0 ms\", to = \"5 ms\" } }";
        let output = run(&format!("count = {count}\nname = \"f\"\npackets = 10\n{overhead}"), "", "");
        output.table("flows").unwrap().real("finish_s").unwrap().to_vec()
    };
    let two = finish(2);
    assert!((two[0] - two[1]).abs() > 1e-4, "{two:?}");
    assert_eq!(finish(2), two, "the same seed, the same times");
}

/// One packet, lost three times: it is sent again after one second, two and four (RFC 6298, 2.1 and 5.5). Then all is well
/// and the back-off is over.
#[test]
fn timeouts_in_a_row_and_the_silences_before_them() {
    let loss = "loss = { scripted = { flow = 0, packets = [1, 2, 3] } }";
    let output = run("packets = 2\ntcp = { initial_window = \"1 packets\" }", loss, "epoch = \"400 ms\"");
    assert_eq!(counts(&output, "timeouts", "in_a_row"), [1, 2, 3]);
    assert_eq!(counts(&output, "timeouts", "timeouts"), [1, 1, 1]);
    assert_eq!(counts(&output, "flows", "repeated_timeouts"), [2]);
    let silences = output.table("silences").unwrap();
    let lengths = silences.real("length_s").unwrap();
    assert_eq!(lengths.len(), 3, "{lengths:?}");
    for (length, expected) in lengths.iter().zip([1.0, 2.0, 4.0]) {
        assert!((length - expected).abs() < 1e-9, "{lengths:?}");
    }
    assert_eq!(index(silences, "ended"), [1, 1, 1]);
}

/// Epochs hold every packet: a window of 4 packets in a round trip of 100.8 ms (0.8 ms to transmit) and a little for the
/// acknowledgment.
#[test]
fn epochs_of_a_round_trip_hold_a_window() {
    let flow = "tcp = { initial_window = \"4 packets\", receive_window = \"4 packets\" }";
    let output = run(flow, "", "epoch = \"own rtt\"");
    let (packets, epochs) = (counts(&output, "epochs", "packets_sent"), counts(&output, "epochs", "epochs"));
    let sent: u64 = packets.iter().zip(epochs).map(|(packets, epochs)| packets * epochs).sum();
    let all = counts(&output, "flows", "packets_sent")[0];
    assert!(all - sent <= 4, "{sent} of {all}: those of the last epoch, cut off, are missing");
    let with_four = epochs[packets.iter().position(|n| *n == 4).unwrap()];
    let whole: u64 = epochs.iter().sum();
    assert!(with_four as f64 > 0.95 * whole as f64, "{packets:?} {epochs:?}");
    assert!(output.table("silences").unwrap().real("length_s").unwrap().is_empty());
}

#[test]
fn nothing_is_counted_where_nobody_asks() {
    let output = run("packets = 10", "", "");
    assert!(output.table("epochs").is_none() && output.table("silences").is_none());
    assert!(counts(&output, "timeouts", "timeouts").is_empty());
}

#[test]
fn mistakes_are_named() {
    let says = |flow: &str, trace: &str, key: &str, part: &str| {
        let error = Scenario::from_toml(&text(flow, "", trace), &[]).expect_err("accepted");
        assert_eq!(error.key.as_deref(), Some(key), "{error}");
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    };
    says("send_overhead = { constant = \"0 ms\" }", "", "flow.0.send_overhead.constant", "zero");
    says("send_overhead = \"5 ms\"", "", "flow.0.send_overhead", "uniform");
    says("", "epoch = \"rtt\"", "trace.epoch", "own rtt");
    says("", "epoch = \"0 s\"", "trace.epoch", "more than that");
}

/// Sixty flows on a link with room for a sixth of a packet per round trip of each: where windows go below one, less is
/// lost, silences are shorter, and the link is as busy.
#[test]
fn windows_below_one_packet_spare_losses_and_silences() {
    let of = |algorithm: &str| {
        let text = format!(
            r#"
            name = "shared"
            duration = "200 s"
            warm_up = "20 s"
            [topology.dumbbell]
            pairs = 60
            bottleneck = {{ rate = "200 kbit/s", delay = "98 ms", buffer = "10 packets" }}
            access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
            [tcp]
            algorithm = "{algorithm}"
            mss = "460 bytes"
            segments_per_ack = 1
            initial_window = "2 packets"
            [[flow]]
            count = 60
            start_jitter = "10 s"
            send_overhead = {{ uniform = {{ from = "0 ms", to = "5 ms" }} }}
            [trace]
            epoch = "400 ms"
            "#
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let output = Simulation::new(&scenario).unwrap().run();
        let dropped = counts(&output, "links", "dropped_queue")[0] as f64;
        let loss = dropped / counts(&output, "links", "packets_offered")[0] as f64;
        let silences = output.table("silences").unwrap().real("length_s").unwrap();
        let longest = silences.iter().copied().fold(0.0, f64::max);
        (loss, longest, output.table("links").unwrap().real("utilisation").unwrap()[0])
    };
    let (standard, ours) = (of("sack"), of("sack+subpacket"));
    assert!(ours.0 < 0.8 * standard.0, "loss: {standard:?} {ours:?}");
    assert!(ours.1 < 0.7 * standard.1, "silences: {standard:?} {ours:?}");
    assert!(ours.2 > 0.98, "utilisation: {standard:?} {ours:?}");
}
