//! State that spans connections: consequences that burst-tcp, 3.3.1 and 3.3.2, and RFC 9040 state.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

/// Files one after the other, or at the same time.
fn run(sharing: &str, keys: &str, files: &[(&str, u32, f64)]) -> Output {
    let group = |(ends, packets, start): &(&str, u32, f64)| {
        format!("[[flow]]\n{ends}\npackets = {packets}\nstart = \"{start} s\"\n")
    };
    let flows: Vec<String> = files.iter().map(group).collect();
    run_flows(sharing, keys, &flows.concat())
}

/// Flows over one path of 100 ms that holds 125 packets; no delayed acknowledgments, and two packets at the start.
fn run_flows(sharing: &str, keys: &str, flows: &str) -> Output {
    // The memory of Careful Resume is of use to its slow start alone.
    let algorithm = if sharing == "careful-resume" { "newreno+careful-resume+reno" } else { "newreno" };
    let sharing = if sharing.is_empty() { String::new() } else { format!("sharing = \"{sharing}\"") };
    let text = format!(
        r#"
        name = "sharing"
        duration = "60 s"
        [topology.graph]
        link = [
            {{ from = "a", to = "c", rate = "10 Mbit/s", delay = "50 ms", {keys} }},
            {{ from = "b", to = "c", rate = "10 Mbit/s", delay = "50 ms" }},
            {{ from = "a", to = "r", rate = "100 Mbit/s", delay = "10 ms" }},
            {{ from = "b", to = "r", rate = "100 Mbit/s", delay = "10 ms" }},
            {{ from = "r", to = "d", rate = "10 Mbit/s", delay = "40 ms", {keys} }},
        ]
        [tcp]
        algorithm = "{algorithm}"
        mss = "960 bytes"
        header = "40 bytes"
        initial_window = "2 packets"
        segments_per_ack = 1
        syn_timeout = "3 s"
        limited_growth = "window"
        {sharing}
        {flows}
        "#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run()
}

const A: &str = "from = \"a\"\nto = \"c\"";
const B: &str = "from = \"b\"\nto = \"c\"";
/// Over a router that others share.
const TO_D: &str = "from = \"a\"\nto = \"d\"";

/// The times that the files took, in the order of their flows, in seconds.
pub fn times(output: &Output) -> Vec<f64> {
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

/// A queue of ten packets that drops what is marked first.
const DROP_PRIORITY: &str = "buffer = \"10 packets\", queue = \"drop-priority\"";

/// burst-tcp, 3.3.2: routers "drop Fast Start packets first". By hand: of the 20 packets of the second file one is in transmission and
/// ten wait; nine are dropped, and nothing comes after them. A round trip for the handshake, one for the eleven, the timeout of a
/// second, and from the initial window on 2, 4 and 3 packets: 15 round trips of 0.1 s. From one packet and a threshold of half of
/// what was in flight it would be 1, 2, 4 and 2, in 16.
#[test]
fn a_window_on_trial_whose_end_is_lost_falls_back_after_the_timeout() {
    let found = times(&run("fast-start", DROP_PRIORITY, &[(A, 40, 0.0), (A, 20, 5.0)]));
    assert_round_trips(found[1], 15.0);
}

/// By hand: the first file leaves a window of 21 packets, of which the first 11 arrive. Their acknowledgments let 22 more go, whose
/// duplicates end the trial after three round trips. 12 and 13, 14 to 17, and 18 to 21 are sent again in a round trip each, by when
/// all but the last three of 45 packets are there; they take one more. `NewReno` alone repairs one of the ten losses in a round trip.
#[test]
fn duplicates_end_a_window_on_trial() {
    let trial = times(&run("fast-start", DROP_PRIORITY, &[(A, 40, 0.0), (A, 45, 5.0)]));
    assert_round_trips(trial[1], 7.0);
}

/// The packets of another connection, which are not marked, lose nothing to the burst; in a queue without priorities they
/// do. Strict priority also sends them first.
#[test]
fn a_window_on_trial_takes_no_buffer_from_others() {
    let lost_by_other = |queue: &str| {
        let keys = format!("buffer = \"10 packets\", queue = \"{queue}\"");
        let other =
            "from = \"b\"\nto = \"d\"\ntcp = { sharing = \"temporal\", initial_window = \"8 packets\" }";
        // The burst of the second file is there at 5.1 s, the other's a little later.
        let output = run("fast-start", &keys, &[(TO_D, 40, 0.0), (TO_D, 20, 5.0), (other, 8, 5.001)]);
        let transfers = output.table("transfers").expect("transfers");
        let Some(Column::Index(flows)) = transfers.column("flow") else { panic!("no flows") };
        let lost = transfers.count("packets_lost").expect("losses");
        flows.iter().position(|flow| *flow == 2).map(|row| lost[row])
    };
    assert!(lost_by_other("droptail") > Some(0));
    for queue in ["drop-priority", "priority"] {
        assert_eq!(lost_by_other(queue), Some(0), "{queue}");
    }
}

/// The times that five objects of 20 packets took on one connection, with five seconds between them, in seconds.
fn objects(sharing: &str, buffer: u32) -> Vec<f64> {
    let text = format!(
        r#"
        name = "idle"
        duration = "30 s"
        [topology.graph]
        link = [{{ from = "a", to = "c", rate = "100 Mbit/s", delay = "50 ms", buffer = "{buffer} packets", queue = "drop-priority" }}]
        [tcp]
        algorithm = "newreno"
        initial_window = "2 packets"
        segments_per_ack = 1
        limited_growth = "window"
        {sharing}
        [[flow]]
        from = "a"
        to = "c"
        size = {{ constant = "20 packets" }}
        think = {{ constant = "5 s" }}
        pool = {{ connections = 1, persistent = true }}
        "#
    );
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
    let pages = output.table("pages").expect("pages");
    let real = |name| pages.real(name).expect("a column of times");
    real("finish_s").iter().zip(real("start_s")).map(|(finish, start)| finish - start).collect()
}

/// burst-tcp, 3.3.2: "or when it becomes idle after a certain time, these values are used". The first object takes the handshake and
/// flights of 2, 4, 8 and 6 packets, which three acknowledgments let go: the window is 11. The second takes half a round trip for 11, and
/// another one for the others; without Fast Start the window begins with two again, and grows through four flights.
#[test]
fn fast_start_keeps_the_window_through_an_idle_time() {
    let trial = objects("sharing = \"fast-start\"", 100);
    let anew = objects("", 100);
    assert_round_trips(trial[0], 4.5);
    assert_round_trips(trial[1], 1.5);
    assert_round_trips(anew[1], 3.5);
}

/// By hand: the second object leaves a window of 16, since five acknowledgments let its last nine packets go. A queue of ten packets takes eleven
/// of the third's first 16, whose acknowledgments let the last four go. Their duplicates end the trial after
/// two round trips; from two packets on two of the five lost are sent again, and the others a round trip later. `NewReno` alone
/// repairs one in a round trip.
#[test]
fn a_window_kept_through_an_idle_time_falls_back_where_it_does_not_fit() {
    let trial = objects("sharing = \"fast-start\"", 10);
    assert_round_trips(trial[2], 3.5);
}

/// The times that three files of as many packets took, with five seconds between them, on the path from a to c.
fn sent_by(sharing: &str, source: &str, packets: u32) -> Vec<f64> {
    let flow = format!("[[flow]]\n{A}\nsize = {{ constant = \"{packets} packets\" }}\n{source}\n");
    let mut found = times(&run_flows(sharing, "buffer = \"200 packets\"", &flow));
    found.truncate(3);
    found
}

/// "When a new connection starts" (burst-tcp, 3.3.2), whoever opens it: three connections take the same times whether each is a
/// flow, or a source that thinks or a user of a pool opens one after the other.
#[test]
fn the_first_connection_of_every_source_shares_state() {
    let think = "think = { constant = \"5 s\" }";
    let first = format!("{think}\nthink_first = false");
    let pool = format!("{think}\npool = {{ connections = 1 }}");
    for sharing in ackclock_transport::tcp::Sharing::NAMES {
        for packets in [1, 20] {
            let files: Vec<(&str, u32, f64)> = vec![(A, packets, 0.0), (A, packets, 8.0), (A, packets, 16.0)];
            let apart = times(&run(sharing, "buffer = \"200 packets\"", &files));
            for source in [think, &first, &pool] {
                let found = sent_by(sharing, source, packets);
                assert_eq!(found.len(), apart.len(), "{sharing}, {source}");
                for (one, other) in found.iter().zip(&apart) {
                    assert!(
                        (one - other).abs() < 1e-6,
                        "{sharing}, {packets}, {source}: {found:?}, {apart:?}"
                    );
                }
            }
        }
    }
}

/// burst-tcp, 3.3.1 and 3.3.2, by hand: the second transaction of a source that thinks saves the handshake, and the second file of a
/// macroflow goes on from the window of the first.
#[test]
fn the_second_file_of_a_source_that_thinks_is_the_first_to_gain() {
    let think = "think = { constant = \"5 s\" }";
    let transactions = sent_by("t-tcp", think, 1);
    let macroflow = sent_by("congestion-manager", think, 20);
    for (found, round_trips) in transactions.iter().zip([2.0, 1.0, 1.0]) {
        assert_round_trips(*found, round_trips);
    }
    for (found, round_trips) in macroflow.iter().zip([5.0, 3.0, 3.0]) {
        assert_round_trips(*found, round_trips);
    }
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

/// RFC 1644, 2.1: counts above the cached one alone are accepted. The SYN of the second of two connections is lost, and the third's is
/// accepted meanwhile: the second's, sent again after a second, is below, and its data follows the handshake.
#[test]
fn a_syn_overtaken_by_a_later_one_needs_a_handshake() {
    let lost = "loss = { schedule = { steps = [[\"0 s\", 0.0], [\"4.99 s\", 1.0], [\"5.06 s\", 0.0]] } }";
    let found = times(&run("t-tcp", lost, &[(A, 1, 0.0), (A, 1, 5.0), (A, 1, 5.5)]));
    assert_round_trips(found[1], 12.0);
    assert_round_trips(found[2], 1.0);
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

/// burst-tcp, 3.3.2: "each new connection must receive a portion of the aggregated congestion window": with
/// one open connection half of its window, so that 20 packets go out in one round trip where the other has at
/// least 40.
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

/// burst-tcp, 3.3.2: the Congestion Manager reduces "the latency due to Slow Start" for a connection that
/// another accompanies, and keeps the state when all are over.
#[test]
fn connections_of_a_macroflow_share_one_window() {
    let files = [(A, 2000, 0.0), (A, 20, 0.95)];
    let (alone, beside) = (times(&run("", "", &files)), times(&run("congestion-manager", "", &files)));
    assert!(beside[1] < alone[1] - 0.19, "{beside:?} {alone:?}");
    let after = times(&run("congestion-manager", "", &[(A, 40, 0.0), (A, 20, 5.0)]));
    assert_round_trips(after[1], 2.0);
}

/// A file of this many packets, sent from 2.1501 s on with its first one lost, while another has ten packets
/// at a time in the network, of which a burst leaves 0.1001 s + k 0.1008 s after its start: the time that the
/// file took.
fn mouse_beside_elephant(sharing: &str, packets: u32) -> f64 {
    let elephant = format!("{A}\ntcp = {{ receive_window = \"10 packets\" }}");
    let loss = "loss = { scripted = { flow = 1, packets = [1] } }";
    times(&run(sharing, loss, &[(&elephant, 2000, 0.0), (A, packets, 2.05)]))[1]
}

/// burst-tcp, 3.3.2: "mice flows can use duplicated ACKs detection loss information of elephants". By hand: three packets leave at
/// 2.1501 s, of which the first is lost, and two duplicates come 0.1 s later. Since the file took half of the window of ten, the
/// elephant's burst of 2.1167 s began when four more acknowledgments had come, 0.8 ms apart: the first packet of the next leaves
/// at 2.2207 s, and its acknowledgment, of 2.3216 s, makes three. The loss is repaired a round trip later, behind one
/// packet: after 0.3732 s in all. Of two packets there is one duplicate, and the second acknowledgment, 0.8 ms later, makes
/// three. Without a session both wait for a timeout of a second.
#[test]
fn acknowledgments_of_others_in_a_session_show_losses() {
    for (packets, times) in [(3, 0.3731..0.3733), (2, 0.3739..0.3741)] {
        let session = mouse_beside_elephant("tcp-session", packets);
        assert!(times.contains(&session), "{packets} packets: {session} s");
        let alone = mouse_beside_elephant("congestion-manager", packets);
        assert!(alone > 1.2, "{packets} packets: {alone} s");
    }
}

/// One packet makes no duplicate, and without one nothing is held lost.
#[test]
fn without_a_duplicate_a_session_waits_for_the_timeout() {
    let took = mouse_beside_elephant("tcp-session", 1);
    assert!(took > 1.2, "{took} s");
}

/// A file of TCP and datagrams over one path of 10 Mbit/s: the packets of either that arrive from 10 s on.
fn beside_datagrams(rate: &str, udp: &str, tcp: &str) -> [f64; 2] {
    let text = format!(
        r#"
        name = "macroflow"
        duration = "60 s"
        warm_up = "10 s"
        [topology.graph]
        link = [{{ from = "a", to = "c", rate = "10 Mbit/s", delay = "20 ms", buffer = "50 packets" }}]
        [tcp]
        algorithm = "sack"
        mss = "960 bytes"
        header = "40 bytes"
        limited_growth = "window"
        [[flow]]
        from = "a"
        to = "c"
        packets = 1000000
        tcp = {{ {tcp} }}
        [[udp]]
        from = "a"
        to = "c"
        packet = "1000 bytes"
        rate = "{rate}"
        {udp}
        [trace]
        flows = false
        "#
    );
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
    let goodput = output.table("flows").unwrap().real("goodput_bit_per_s").unwrap().to_vec();
    [goodput[0], goodput[1]]
}

const CM: &str = "sharing = \"congestion-manager\"";

/// burst-tcp, 3.3.2: "an increasing number of real-time stream applications use UDP protocol, which is incapable to adapt to
/// network conditions alone"; "through its mechanisms, CM may impose congestion control even on disorderly applications". At twice
/// the link's rate datagrams leave TCP nothing; in its macroflow both have half.
#[test]
fn datagrams_share_the_macroflow_s_window() {
    let [tcp, udp] = beside_datagrams("20 Mbit/s", "", "");
    assert!(tcp < 0.05 * udp, "{tcp} {udp}");
    let [tcp, udp] = beside_datagrams("20 Mbit/s", CM, CM);
    assert!((tcp / udp - 0.96).abs() < 0.1, "{tcp} {udp}");
    assert!(tcp + udp > 9e6, "{tcp} {udp}");
}

/// RFC 3124, 3.5: weights of flows. Three parts of the window for the datagrams, one for TCP.
#[test]
fn weights_divide_the_macroflow_s_window() {
    let weighted = format!("{CM}\nsharing_weight = 3");
    let [tcp, udp] = beside_datagrams("20 Mbit/s", &weighted, CM);
    assert!((udp / tcp - 3.1).abs() < 0.4, "{tcp} {udp}");
}

/// A source below its part has what it sends, and the rest goes to TCP.
#[test]
fn what_datagrams_leave_of_their_part_goes_to_tcp() {
    let [tcp, udp] = beside_datagrams("1 Mbit/s", CM, CM);
    assert!(udp > 0.95e6, "{udp}");
    assert!(tcp > 7.8e6, "{tcp}");
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
    assert!(refused("packets = 10", "trace.qlog = true").contains("trace.qlog"));
    assert!(refused("packets = 10\ntcp = { sharing_weight = 0.0 }", "").contains("above zero"));
    let udp = "packets = 10\n[[udp]]\nrate = \"1 Mbit/s\"\nsharing = \"temporal\"";
    assert!(refused(udp, "").contains("only \"congestion-manager\""));
}

/// burst-tcp, 3.3.2: network adaptive slow start "proposes to use the file size to choose the best possible way to transfer it". The first
/// file leaves a window of 21 packets.
#[test]
fn the_size_of_a_file_chooses_how_it_begins() {
    let taken = |sharing: &str, packets| times(&run(sharing, "", &[(A, 40, 0.0), (A, packets, 5.0)]))[1];
    // At a constant rate: within a round trip after the handshake, and the way of the last packet and its acknowledgment.
    let rated = taken("network-adaptive", 20);
    assert!(rated > 0.25 && rated < 0.32, "{rated} s");
    // From half of the cached window: the handshake, then 10, 21, 22 and 7 packets; alone 2, 4, 8, 16 and 30.
    assert_round_trips(taken("network-adaptive", 60), 5.0);
    assert_round_trips(taken("", 60), 6.2);
    // A long file, and one that fits into the initial window, as without sharing.
    for packets in [300, 2] {
        let (adaptive, alone) = (taken("network-adaptive", packets), taken("", packets));
        assert!((adaptive - alone).abs() < 1e-9, "{packets}: {adaptive} s, {alone} s alone");
    }
}

/// "At a constant rate": before a buffer of three packets the cached window leaves no burst, and loses nothing; SPAND's, sent at once, does.
#[test]
fn a_constant_rate_needs_no_buffer() {
    let lost = |sharing: &str| {
        let keys = "buffer = \"3 packets\"";
        // The window is learned on the other path of the domain, which has room, and the round-trip time on this one.
        let output = run(sharing, keys, &[(B, 40, 0.0), (A, 2, 3.0), (A, 20, 5.0)]);
        output
            .table("transfers")
            .expect("transfers")
            .count("packets_lost")
            .expect("losses")
            .iter()
            .sum::<u64>()
    };
    assert!(lost("spand") > 0);
    assert_eq!(lost("network-adaptive"), 0);
}

/// Without a file before it, "just standard TCP"; with none between its own hosts, there is no round-trip time to make a rate of.
#[test]
fn without_a_round_trip_time_there_is_no_rate() {
    let found = times(&run("network-adaptive", "", &[(A, 40, 0.0), (B, 20, 5.0)]));
    assert_round_trips(found[0], 6.0);
    // The handshake, then 10 packets, then 10.
    assert_round_trips(found[1], 3.0);
}
