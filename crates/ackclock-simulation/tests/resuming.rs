//! The memory of Careful Resume from the connections before: consequences that RFC 9959 states.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

use crate::sharing::times;

/// Files from a to c, with the slow start that remembers, over a path of 100 ms and this rate that has a buffer of ten packets.
fn resumed(sharing: &str, rate: &str, files: &[(u32, f64)]) -> Output {
    let flows: Vec<String> = files
        .iter()
        .map(|(packets, start)| {
            format!("[[flow]]\npackets = {packets}\nstart = \"{start} s\"\nfrom = \"a\"\nto = \"c\"\n")
        })
        .collect();
    let flows = flows.concat();
    let text = format!(
        r#"
        name = "resumed"
        duration = "60 s"
        [topology.graph]
        link = [{{ from = "a", to = "c", rate = {rate}, delay = "50 ms", buffer = "10 packets" }}]
        [tcp]
        algorithm = "rack+careful-resume+reno"
        mss = "960 bytes"
        header = "40 bytes"
        initial_window = "4 packets"
        segments_per_ack = 1
        {sharing}
        {flows}
        "#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run()
}

const REMEMBERS: &str = "sharing = \"careful-resume\"";

/// RFC 9959, 3.2 and 3.3. By hand: the first file leaves slow start by a loss, with a window of at least half of the 125 packets that the
/// path holds. A later file of 34 packets has 4 in its first round trip, and the other 30 within the jump to half of that window,
/// paced over a round trip: with the handshake at most four round trips. Without a memory it has 4, 8, 16 and 6 in four, and the handshake.
#[test]
fn a_connection_resumes_by_the_window_of_the_one_before() {
    let files = [(600, 0.0), (34, 20.0)];
    let alone = times(&resumed("", "\"10 Mbit/s\"", &files))[1];
    let found = times(&resumed(REMEMBERS, "\"10 Mbit/s\"", &files))[1];
    assert!((0.46..0.56).contains(&alone), "{alone} s");
    assert!((0.3..0.43).contains(&found), "{found} s");
}

/// RFC 9959, 3.5: a memory that is wrong costs packets, and is not used again. The path falls to a tenth, and holds 22 packets with its
/// queue. Standard slow start sends 34 packets without a loss, as 4, 8, 16 and 6. The jump of the second file is too far, and the third
/// remembers what the second has found.
#[test]
fn a_wrong_memory_is_replaced() {
    let rate = "{ steps = [[\"0 s\", \"10 Mbit/s\"], [\"15 s\", \"1 Mbit/s\"]] }";
    let lost = |sharing: &str| {
        let output = resumed(sharing, rate, &[(600, 0.0), (34, 20.0), (34, 40.0)]);
        let transfers = output.table("transfers").expect("transfers");
        transfers.count("packets_lost").expect("losses").to_vec()
    };
    let (alone, found) = (lost(""), lost(REMEMBERS));
    assert_eq!((alone.len(), alone[1], alone[2]), (3, 0, 0));
    assert!(found[1] > 0, "{found:?}");
    assert_eq!((found.len(), found[2]), (3, 0), "{found:?}");
}

/// The key is a memory for one slow start.
#[test]
fn a_memory_without_use_is_refused() {
    let text = "name = \"x\"\nduration = \"1 s\"\n[topology.dumbbell]\nbottleneck = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n\
                access = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[tcp]\nalgorithm = \"cubic\"\nsharing = \"careful-resume\"\n\
                [[flow]]\npackets = 10\n";
    let error = Scenario::from_toml(text, &[]).expect_err("no use for it").to_string();
    assert!(error.contains("careful-resume+cubic"), "{error}");
}
