//! State that spans connections: consequences that burst-tcp, 3.3.1 and 3.3.2, and RFC 9040 state.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

/// Files one after the other, or beside each other, over one path of 100 ms that holds 125 packets; no delayed acknowledgments,
/// and two packets at the start.
fn run(sharing: &str, keys: &str, files: &[(&str, u32, f64)]) -> Output {
    let sharing = if sharing.is_empty() { String::new() } else { format!("sharing = \"{sharing}\"") };
    let group = |(ends, packets, start): &(&str, u32, f64)| {
        format!("[[flow]]\n{ends}\npackets = {packets}\nstart = \"{start} s\"\n")
    };
    let flows: Vec<String> = files.iter().map(group).collect();
    let flows = flows.concat();
    let text = format!(
        r#"
        name = "sharing"
        duration = "60 s"
        [topology.graph]
        link = [
            {{ from = "a", to = "c", rate = "10 Mbit/s", delay = "50 ms", {keys} }},
            {{ from = "b", to = "c", rate = "10 Mbit/s", delay = "50 ms" }},
        ]
        [tcp]
        algorithm = "newreno"
        mss = "960 bytes"
        header = "40 bytes"
        initial_window = "2 packets"
        segments_per_ack = 1
        syn_timeout = "3 s"
        {sharing}
        {flows}
        "#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).run()
}

const A: &str = "from = \"a\"\nto = \"c\"";
const B: &str = "from = \"b\"\nto = \"c\"";

/// The times that the files took, in the order of their flows, in seconds.
fn times(output: &Output) -> Vec<f64> {
    let table = output.table("transfers").expect("transfers");
    let real = |name| table.real(name).expect("a column of times");
    let Some(Column::Index(flows)) = table.column("flow") else { panic!("no flows") };
    let spans = real("finish_s").iter().zip(real("start_s")).map(|(finish, start)| finish - start);
    let mut found: Vec<(u32, f64)> = flows.iter().copied().zip(spans).collect();
    found.sort_by_key(|(flow, _)| *flow);
    found.into_iter().map(|(_, time)| time).collect()
}

#[track_caller]
fn assert_round_trips(time: f64, round_trips: f64) {
    // Transmission times of whole windows come to it.
    assert!((time - 0.1 * round_trips).abs() < 0.06, "{time} s, not {round_trips} round trips");
}

/// Alone, 40 packets take the handshake and five round trips, of 2, 4, 8, 16 and 10 packets.
#[test]
fn without_sharing_the_second_file_is_as_slow_as_the_first() {
    let found = times(&run("", "", &[(A, 40, 0.0), (A, 40, 5.0)]));
    for time in found {
        assert_round_trips(time, 6.0);
    }
}

/// burst-tcp, 3.3.2: "when a new connection starts [..] these values are used to adapt connection variables [..], avoiding a
/// wasteful Slow Start phase": the second file goes out in one round trip after the handshake. The
/// window of the first is above 20 packets when its last packets leave, and grows no more.
#[test]
fn fast_start_begins_with_the_window_of_the_latest_connection() {
    let found = times(&run("fast-start", "", &[(A, 40, 0.0), (A, 20, 5.0)]));
    assert_round_trips(found[0], 6.0);
    assert_round_trips(found[1], 2.0);
}

/// The history is that of the same two hosts.
#[test]
fn fast_start_takes_nothing_over_from_other_hosts() {
    let found = times(&run("fast-start", "", &[(B, 40, 0.0), (A, 40, 5.0)]));
    for time in found {
        assert_round_trips(time, 6.0);
    }
}

/// burst-tcp, 3.3.2: SPAND collects "performance information for all current TCP connections" of a domain, of other hosts
/// too.
#[test]
fn spand_takes_over_from_the_whole_domain() {
    let found = times(&run("spand", "", &[(B, 40, 0.0), (A, 20, 5.0)]));
    assert_round_trips(found[0], 6.0);
    assert_round_trips(found[1], 2.0);
}

/// burst-tcp, 3.3.1: the cached connection count saves the initialization phase, from the second connection on; the first
/// falls back to the handshake.
#[test]
fn transactions_need_no_handshake_once_the_hosts_know_each_other() {
    let output = run("t-tcp", "", &[(A, 1, 0.0), (A, 1, 5.0), (B, 1, 6.0)]);
    let found = times(&output);
    for (time, round_trips) in found.iter().zip([2.0, 1.0, 2.0]) {
        assert_round_trips(*time, round_trips);
    }
}

/// RFC 9040: the round-trip time of an earlier connection replaces the initial timeout. The SYN of the second file is lost: it is
/// repeated after the least timeout, 1 s, and not after 3 s.
#[test]
fn temporal_sharing_replaces_the_initial_timeout() {
    let lost = "loss = { schedule = { steps = [[\"0 s\", 0.0], [\"4.99 s\", 1.0], [\"5.06 s\", 0.0]] } }";
    let alone = times(&run("", lost, &[(A, 1, 0.0), (A, 1, 5.0)]));
    let shared = times(&run("temporal", lost, &[(A, 1, 0.0), (A, 1, 5.0)]));
    assert_round_trips(alone[1], 32.0);
    assert_round_trips(shared[1], 12.0);
}

/// burst-tcp, 3.3.2: "each new connection must receive a portion of the aggregated congestion window": beside one connection
/// half of its window, so that 20 packets go out in one round trip where the other has at least 40.
#[test]
fn ensemble_sharing_gives_a_portion_of_the_open_windows() {
    let files = [(A, 2000, 0.0), (A, 20, 0.95)];
    let (alone, shared) = (times(&run("", "", &files)), times(&run("ensemble", "", &files)));
    assert!(shared[1] < alone[1] - 0.19, "{shared:?} {alone:?}");
    // The other gives that portion up.
    assert!(shared[0] > alone[0], "{shared:?} {alone:?}");
}

/// Without an open connection, ensemble sharing is temporal sharing.
#[test]
fn ensemble_sharing_without_others_is_temporal() {
    let files = [(A, 40, 0.0), (A, 40, 5.0)];
    let (ensemble, temporal) = (times(&run("ensemble", "", &files)), times(&run("temporal", "", &files)));
    assert_eq!(ensemble, temporal);
}

/// burst-tcp, 3.3.2: the Congestion Manager reduces "the latency due to Slow Start" for a connection beside another, and keeps
/// the state when all are over.
#[test]
fn connections_of_a_macroflow_share_one_window() {
    let files = [(A, 2000, 0.0), (A, 20, 0.95)];
    let (alone, beside) = (times(&run("", "", &files)), times(&run("congestion-manager", "", &files)));
    assert!(beside[1] < alone[1] - 0.19, "{beside:?} {alone:?}");
    let after = times(&run("congestion-manager", "", &[(A, 40, 0.0), (A, 20, 5.0)]));
    assert_round_trips(after[1], 2.0);
}

/// What the simulator cannot share is refused.
#[test]
fn flows_that_cannot_share_are_refused() {
    let refused = |flow: &str, trace: &str| {
        let text = format!(
            "name = \"sharing\"\nduration = \"10 s\"\ntopology.dumbbell.bottleneck = {{ rate = \"1 Mbit/s\", delay = \"10 ms\" }}\n\
             topology.dumbbell.access = {{ rate = \"10 Mbit/s\", delay = \"1 ms\" }}\n{trace}\n[tcp]\nsharing = \"temporal\"\n[[flow]]\n{flow}\n"
        );
        Scenario::from_toml(&text, &[]).expect_err("refused").to_string()
    };
    assert!(refused("", "").contains("without an end"));
    assert!(refused("packets = 10\nalgorithm = \"bbr1\"", "").contains("window and threshold"));
    assert!(refused("packets = 10", "trace.interval = \"1 s\"").contains("trace.flows"));
}
