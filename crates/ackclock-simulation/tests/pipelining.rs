//! P-HTTP and the streams of SCTP: consequences that burst-tcp, 3.3.1 and 3.3.2, states.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// A user who fetches a page of ten objects of a packet each, over one connection of 100 ms; `loss` is that of the way of data.
fn run(pool: &str, loss: &str) -> Output {
    let text = format!(
        r#"
        name = "pipelining"
        duration = "30 s"
        [topology.graph]
        link = [{{ from = "a", to = "b", rate = "100 Mbit/s", delay = "50 ms", {loss} }}]
        [tcp]
        algorithm = "sack"
        initial_window = "10 packets"
        segments_per_ack = 1
        [[flow]]
        from = "a"
        to = "b"
        packets = 1
        pool = {{ connections = 1, objects = {{ constant = "10 objects" }}, stall_after = "60 ms", {pool} }}
        "#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run()
}

fn user(output: &Output, column: &str) -> f64 {
    let table = output.table("users").expect("users");
    match (table.real(column), table.count(column)) {
        (Some(values), _) => values[0],
        (_, Some(values)) => values[0] as f64,
        _ => panic!(
            "no column {column} among {:?}",
            table.columns().iter().map(|(name, _)| name).collect::<Vec<_>>()
        ),
    }
}

/// The time of the page, in round trips.
fn round_trips(output: &Output) -> f64 {
    user(output, "mean_page_s") / 0.1
}

/// burst-tcp, 3.3.1: one connection per object costs a handshake each; a persistent connection costs one; and without pipelining
/// "the host client sends a request for an object only after having received the data for the previous one".
#[test]
fn pipelining_saves_a_round_trip_per_object() {
    let [apart, persistent, pipelined] = ["", "persistent = true", "persistent = true, pipelining = true"]
        .map(|pool| round_trips(&run(pool, "")));
    // Data takes half a round trip. An object alone: the handshake, then data; the next when it is acknowledged.
    assert!((apart - 19.5).abs() < 0.2, "{apart}");
    assert!((persistent - 10.5).abs() < 0.2, "{persistent}");
    assert!((pipelined - 1.5).abs() < 0.2, "{pipelined}");
}

/// burst-tcp, 3.3.1 and 3.3.2: "Head-of-Line (HOL) blocking [..] when one packet of a burst is lost and the received packets stay
/// blocked"; with a stream for each object, "message loss in any stream will only initially affect delivery within that stream".
#[test]
fn a_lost_object_blocks_the_others_of_its_connection_but_no_other_stream() {
    let lost = "loss = { scripted = { flow = 0, packets = [1] } }";
    let blocked = run("persistent = true, pipelining = true", lost);
    let streams = run("persistent = true, pipelining = true, streams = true", lost);
    // The page has all its objects when the first, sent again, is there, either way.
    assert!((round_trips(&blocked) - round_trips(&streams)).abs() < 1e-9);
    // Without streams the user has nothing until then: from the request on. With them the others come meanwhile.
    let (all, part) = (user(&blocked, "longest_stall_s"), user(&streams, "longest_stall_s"));
    assert!(all > 0.24, "{all}");
    assert!(part < 0.16, "{part}");
}

#[test]
fn without_a_loss_streams_change_nothing() {
    let pipelined = run("persistent = true, pipelining = true", "");
    let streams = run("persistent = true, pipelining = true, streams = true", "");
    assert!((round_trips(&pipelined) - round_trips(&streams)).abs() < 1e-9);
}

#[test]
fn pipelining_needs_a_persistent_connection() {
    let text = "name = \"p\"\nduration = \"1 s\"\ntopology.dumbbell.bottleneck = { rate = \"1 Mbit/s\", delay = \"10 ms\" }\n\
        topology.dumbbell.access = { rate = \"10 Mbit/s\", delay = \"1 ms\" }\n[[flow]]\npackets = 1\n\
        pool = { connections = 1, pipelining = true }\n";
    let refused = Scenario::from_toml(text, &[]).expect_err("refused").to_string();
    assert!(refused.contains("persistent = true"), "{refused}");
}

/// A page of objects that one connection fetches at once is one transfer of all their packets, and what it lost are packets of its own:
/// the transfers together have sent and lost what the flows have.
#[test]
fn objects_fetched_at_once_are_one_transfer() {
    for objects in [6, 12, 20] {
        let text = format!(
            r#"
            name = "pages"
            duration = "30 s"
            [topology.graph]
            link = [{{ from = "a", to = "b", rate = "2 Mbit/s", delay = "20 ms", buffer = "2 packets" }}]
            [[flow]]
            from = "a"
            to = "b"
            count = 2
            packets = 1
            think = {{ constant = "100 ms" }}
            pool = {{ connections = 1, objects = {{ constant = "{objects} objects" }}, persistent = true, pipelining = true }}
            "#
        );
        let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
        let counts = |table, column| output.table(table).and_then(|table| table.count(column)).unwrap();
        let packets = counts("transfers", "packets");
        assert!(packets.len() > 20 && packets.iter().all(|packets| *packets == objects), "{packets:?}");
        for column in ["packets_sent", "packets_lost", "retransmissions"] {
            let [parts, all] = ["transfers", "flows"].map(|table| counts(table, column).iter().sum::<u64>());
            assert_eq!(parts, all, "{column} of pages of {objects} objects");
        }
        let rows = counts("transfers", "packets_sent").iter().zip(counts("transfers", "packets_lost"));
        rows.for_each(|(sent, lost)| assert!(lost <= sent, "{lost} of {sent} packets lost"));
    }
}

/// The acknowledgments' way drops all but one packet at a time. A window counts from the moment the connection is open, and not
/// while it is idle: it is never less than a packet.
#[test]
fn the_mean_window_of_connections_that_go_on_is_that_of_the_time_they_send() {
    let text = r#"
        name = "windows"
        duration = "10 s"
        warm_up = "1 s"
        [topology.parking_lot]
        hops = 2
        link = { rate = "10 Mbit/s", delay = "10 ms", reverse = { buffer = "0 packets" } }
        access = { rate = "10 Mbit/s", delay = "10 ms" }
        [[flow]]
        backward = true
        count = 5
        packets = 10
        pool = { connections = 1, objects = { uniform = { from = "0 objects", to = "6 objects" } }, persistent = true, pipelining = true }
    "#;
    let output = Simulation::new(&Scenario::from_toml(text, &[]).expect("a scenario")).unwrap().run();
    let windows = output.table("flows").and_then(|table| table.real("mean_cwnd_packets")).unwrap();
    assert!(windows.iter().any(|window| window.is_finite()), "{windows:?}");
    assert!(windows.iter().all(|window| window.is_nan() || *window >= 1.0), "{windows:?}");
}
