//! Every mistake gets one message that names the key, what was found and what would be right.

use ackclock_simulation::scenario::{Scenario, ScenarioError};

const VALID: &str = r#"
name = "two"
duration = "100 s"

[topology.dumbbell]
pairs = 2
bottleneck = { rate = "2 Mbit/s", delay = "20 ms", buffer = "10 packets" }
access = { rate = "10 Mbit/s", delay = "10 ms" }

[[flow]]
count = 2
"#;

const GRAPH: &str = r#"
name = "islands"
duration = "10 s"
[[topology.graph.link]]
from = "alpha"
to = "beta"
rate = "1 Mbit/s"
delay = "1 ms"
[[topology.graph.link]]
from = "gamma"
to = "delta"
rate = "1 Mbit/s"
delay = "1 ms"
[[flow]]
from = "alpha"
to = "beta"
"#;

fn error_of(text: &str) -> ScenarioError {
    match Scenario::from_toml(text, &[]) {
        Ok(_) => panic!("this was accepted:\n{text}"),
        Err(error) => error,
    }
}

/// The error after one replacement in the valid scenario.
fn after(old: &str, new: &str) -> ScenarioError {
    assert!(VALID.contains(old), "{old:?} is not in the scenario");
    error_of(&VALID.replacen(old, new, 1))
}

/// The error after appending to the valid scenario.
fn with_added(text: &str) -> ScenarioError {
    error_of(&format!("{VALID}{text}"))
}

#[track_caller]
fn says(error: &ScenarioError, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    assert!(!message.contains('\n') && message.len() < 600, "more than a sentence: {message}");
}

#[test]
fn an_unknown_key_gets_its_path_and_the_nearest_one() {
    let error = after("bottleneck", "botleneck");
    assert_eq!(error.key.as_deref(), Some("topology.dumbbell.botleneck"));
    assert_eq!(error.nearest.as_deref(), Some("bottleneck"));
    assert_eq!(error.to_string(), "topology.dumbbell.botleneck: unknown key; did you mean \"bottleneck\"?");
    says(&after("duration", "durration"), &["durration: unknown key", "\"duration\""]);
    says(&after("delay = \"10 ms\"", "dealy = \"10 ms\""), &["topology.dumbbell.access.dealy", "\"delay\""]);
    says(&with_added("tcp = { msss = \"1 kB\" }"), &["flow.0.tcp.msss", "\"mss\""]);
    says(&with_added("[tcp]\nmsss = \"1 kB\""), &["tcp.msss: ", "\"mss\""]);
    says(&after("topology.dumbbell", "topology.dumbell"), &["topology.dumbell: unknown key", "\"dumbbell\""]);
    let far_off = after("pairs = 2", "colour = 2");
    assert_eq!(far_off.nearest, None);
    says(&far_off, &["topology.dumbbell.colour", "there are: pairs"]);
}

#[test]
fn a_loss_of_an_unknown_kind_is_an_unknown_key() {
    let error = after("buffer = \"10 packets\"", "loss = { bernouli = 0.1 }");
    says(&error, &["topology.dumbbell.bottleneck.loss.bernouli: unknown key", "\"bernoulli\"?"]);
}

#[test]
fn a_wrong_unit_gets_the_right_ones() {
    let error = after("2 Mbit/s", "2 Mbits");
    assert_eq!(error.key.as_deref(), Some("topology.dumbbell.bottleneck.rate"));
    assert_eq!(error.found.as_deref(), Some("2 Mbits"));
    says(&error, &["\"2 Mbits\"", "the unit \"Mbits\"", "Mbit/s"]);
    says(&after("100 s", "100 sec"), &["duration: ", "\"sec\"", "ms", "min"]);
    says(&after("10 packets", "10 pakets"), &["bottleneck.buffer: ", "\"10 pakets\"", "20% bdp"]);
    says(&after("10 packets", "lots"), &["bottleneck.buffer: ", "\"lots\"", "unlimited"]);
    says(&with_added("[tcp]\nmss = \"1 packet\""), &["tcp.mss: ", "\"packet\"", "bytes"]);
    says(&with_added("[tcp]\ninitial_window = \"rfc2001\""), &["tcp.initial_window", "rfc3390", "rfc6928"]);
}

#[test]
fn a_number_without_a_unit_is_told_to_take_one() {
    let error = after("\"2 Mbit/s\"", "2000000");
    assert_eq!(error.key.as_deref(), Some("topology.dumbbell.bottleneck.rate"));
    assert_eq!(error.found.as_deref(), Some("2000000"));
    says(&error, &["found 2000000", "without a unit", "\"2 Mbit/s\""]);
    says(&after("\"100 s\"", "100.5"), &["duration: found 100.5", "\"20 ms\""]);
    says(&after("\"100 s\"", "\"100\""), &["duration: ", "\"100\"", "no unit", "ms"]);
}

#[test]
fn a_negative_quantity_is_refused() {
    let error = after("2 Mbit/s", "-2 Mbit/s");
    says(&error, &["topology.dumbbell.bottleneck.rate: ", "\"-2 Mbit/s\"", "cannot be negative"]);
    says(&after("20 ms", "-20 ms"), &["bottleneck.delay: ", "cannot be negative"]);
    says(&after("10 packets", "-10 packets"), &["bottleneck.buffer: ", "\"-10 packets\"", "negative"]);
    says(&after("pairs = 2", "pairs = -2"), &["pairs: found -2", "a whole number from 0"]);
}

#[test]
fn a_link_without_capacity_is_refused() {
    let error = after("2 Mbit/s", "0 Mbit/s");
    says(&error, &["topology.dumbbell.bottleneck.rate: ", "a rate of zero", "at least 1 bit/s"]);
    let error = after("buffer = \"10 packets\"", "reverse = { rate = \"0 bit/s\" }");
    says(&error, &["topology.dumbbell.bottleneck.reverse.rate: ", "zero"]);
    let error = with_added("[[udp]]\nrate = \"0 bit/s\"");
    says(&error, &["udp.0.rate: ", "zero"]);
}

#[test]
fn an_unknown_algorithm_gets_the_nearest_one() {
    let error = with_added("[tcp]\nalgorithm = \"newrno\"");
    assert_eq!(error.key.as_deref(), Some("tcp.algorithm"));
    assert_eq!(error.nearest.as_deref(), Some("newreno"));
    says(&error, &["\"newrno\"", "\"newreno\""]);
    says(&with_added("algorithm = \"vega\""), &["flow.0.algorithm: ", "\"vega\"", "\"vegas\""]);
}

#[test]
fn an_algorithm_of_the_callers_own_is_known() {
    let text = format!("{VALID}algorithm = \"mine\"\n");
    assert!(Scenario::from_toml(&text, &[]).is_err());
    let scenario = Scenario::from_toml(&text, &["mine".to_owned()]).unwrap();
    assert_eq!(scenario.flow[0].tcp.algorithm, "mine");
    assert!(scenario.with("flow.0.algorithm", "sack+mine").is_ok());
    assert!(scenario.with("flow.0.algorithm", "sack+yours").is_err());
}

#[test]
fn an_algorithm_given_twice_is_refused() {
    let error = with_added("algorithm = \"vegas\"\ntcp = { algorithm = \"reno\" }");
    says(&error, &["flow.0.tcp.algorithm: ", "twice", "flow.0.algorithm"]);
}

#[test]
fn a_node_that_does_not_exist_gets_the_nearest_one() {
    let error = with_added("from = \"scr1\"\nto = \"dst1\"");
    assert_eq!(error.key.as_deref(), Some("flow.0.from"));
    assert_eq!(error.nearest.as_deref(), Some("src1"));
    says(&error, &["no node \"scr1\"", "\"src1\""]);
    says(&with_added("from = \"src1\"\nto = \"dst3\""), &["flow.0.to: there is no node \"dst3\""]);
    says(&with_added("from = \"src1\""), &["flow.0.to: missing"]);
    says(&with_added("from = \"src1\"\nto = \"src1\""), &["flow.0.to: ", "itself"]);
}

#[test]
fn a_node_that_cannot_be_reached_is_refused() {
    let flow = "[[flow]]\nfrom = \"alpha\"\nto = \"beta\"";
    let error = error_of(&GRAPH.replace(flow, "[[flow]]\nfrom = \"alpha\"\nto = \"delta\""));
    assert_eq!(error.key.as_deref(), Some("flow.0.to"));
    says(&error, &["\"delta\" cannot be reached from \"alpha\"", "no links"]);
    let error = error_of(&GRAPH.replace(flow, "[[flow]]"));
    says(&error, &["flow.0.from: missing", "in a graph"]);
}

#[test]
fn links_of_a_graph_are_unique_and_lead_somewhere() {
    let twice = GRAPH.replace("\"gamma\"", "\"beta\"").replace("\"delta\"", "\"alpha\"");
    says(
        &error_of(&twice),
        &["topology.graph.link.1: ", "second link between \"alpha\" and \"beta\"", "number 0"],
    );
    let around = GRAPH.replace("\"delta\"", "\"gamma\"");
    says(&error_of(&around), &["topology.graph.link.1: ", "\"gamma\" to itself"]);
}

#[test]
fn a_text_that_is_not_toml_gets_line_and_column() {
    let error = error_of("name = \"two\"\nduration = 100 s\n");
    assert_eq!(error.key, None);
    says(&error, &["line 2, column ", "not TOML"]);
    says(&error_of("name = \"two\nduration"), &["line 1, column "]);
    says(&error_of("{\"name\": \"two\"}"), &["line 1, column ", "not TOML"]);
    let error = Scenario::from_json("{\n  \"name\": two\n}", &[]).unwrap_err();
    says(&error, &["line 2, column ", "not JSON"]);
}

#[test]
fn what_is_missing_is_named() {
    says(&after("name = \"two\"", ""), &["name: missing"]);
    says(&after("duration = \"100 s\"", ""), &["duration: missing"]);
    says(&after("delay = \"20 ms\", ", ""), &["topology.dumbbell.bottleneck.delay: missing"]);
    says(&after("[[flow]]\ncount = 2\n", ""), &["flow: missing", "[[flow]], [[udp]] or [[call]]"]);
    says(&error_of(""), &["name: missing"]);
}

#[test]
fn there_is_exactly_one_topology() {
    let two = "[topology.parking_lot]\nhops = 1\nlink = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n\
               access = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n";
    says(&with_added(two), &["topology: ", "dumbbell and parking_lot", "exactly one"]);
    says(&error_of("name = \"a\"\nduration = \"1 s\"\ntopology = \"dumbbell\""), &["topology", "settings"]);
    says(&error_of("name = \"a\"\nduration = \"1 s\"\ntopology = 3"), &["topology: found 3", "dumbbell"]);
    says(&error_of("name = \"a\"\nduration = \"1 s\"\n[topology]"), &["topology: found none", "dumbbell"]);
}

#[test]
fn a_value_of_the_wrong_type_is_refused() {
    says(&after("pairs = 2", "pairs = 2.5"), &["pairs: found 2.5", "a whole number"]);
    says(&after("pairs = 2", "pairs = \"2\""), &["pairs: found \"2\"", "a whole number"]);
    says(&after("pairs = 2", "pairs = 5000000000"), &["pairs: found 5000000000", "4294967295"]);
    says(&after("pairs = 2", "pairs = 2000000"), &["pairs: found 2000000", "1 to 1000000"]);
    says(&after("count = 2", "count = 0"), &["flow.0.count: found 0", "1 to 1000000"]);
    says(&after("name = \"two\"", "name = 2"), &["name: found 2", "a text"]);
    says(&after("name = \"two\"", "name = \"../two\""), &["name: found \"../two\"", "a-z"]);
    says(
        &after("{ rate = \"10 Mbit/s\", delay = \"10 ms\" }", "[1, 2]"),
        &["access: found a list", "a table"],
    );
    says(&with_added("tcp = 3"), &["flow.0.tcp: found 3", "a table"]);
    says(&with_added("start = 1979-05-27"), &["flow.0.start: ", "date", "quotation marks"]);
    says(
        &with_added("[[udp]]\nrate = \"1 kbit/s\"\npattern = \"poison\""),
        &["udp.0.pattern: ", "\"poisson\""],
    );
    let queue = after("buffer = \"10 packets\"", "queue = \"drop-tail\"");
    says(&queue, &["topology.dumbbell.bottleneck.queue: ", "\"drop-tail\"", "\"droptail\""]);
}

#[test]
fn a_graphs_link_has_its_ends_beside_the_keys_of_every_link() {
    let link = |old: &str, new: &str| error_of(&GRAPH.replacen(old, new, 1));
    assert_eq!(
        link("rate", "rte").to_string(),
        "topology.graph.link.0.rte: unknown key; did you mean \"rate\"?"
    );
    says(&link("to = \"beta\"\n", ""), &["topology.graph.link.0.to: missing"]);
    says(&link("to = \"beta\"", "to = 3"), &["topology.graph.link.0.to: found 3", "a text"]);
    says(&link("\"1 ms\"", "\"1 Mbit/s\""), &["topology.graph.link.0.delay: found \"1 Mbit/s\""]);
}

#[test]
fn numbers_that_are_none_are_refused() {
    says(&after("100 s", "nan s"), &["duration: ", "\"nan s\"", "number"]);
    let error = after("buffer = \"10 packets\"", "loss = { bernoulli = nan }");
    says(&error, &["topology.dumbbell.bottleneck.loss.bernoulli: ", "NaN", "finite"]);
    let error = after("buffer = \"10 packets\"", "loss = { bernoulli = inf }");
    says(&error, &["loss.bernoulli: ", "inf", "finite"]);
}

#[test]
fn losses_are_probabilities_of_packets_that_exist() {
    let loss = |loss: &str| after("buffer = \"10 packets\"", &format!("loss = {{ {loss} }}"));
    says(&loss("bernoulli = 1.5"), &["bottleneck.loss.bernoulli: found 1.5", "between 0 and 1"]);
    says(&loss("bernoulli = \"1%\""), &["bottleneck.loss.bernoulli: found \"1%\"", "a number"]);
    let error = loss("gilbert_elliott = { good_to_bad = -0.1, bad_to_good = 0.2 }");
    says(&error, &["loss.gilbert_elliott.good_to_bad: found -0.1", "between 0 and 1"]);
    let error = loss("scripted = { flow = 2, packets = [14] }");
    says(&error, &["loss.scripted.flow: found flow 2", "0 to 1"]);
    says(&loss("scripted = { flow = 0, packets = [0] }"), &["loss.scripted.packets.0: found 0", "from 1"]);
    says(&loss("bernoulli = 0.1, scripted = { flow = 0, packets = [1] }"), &["exactly one of"]);
}

#[test]
fn times_are_in_order() {
    says(&after("duration = \"100 s\"", "duration = \"0 s\""), &["duration: found zero"]);
    says(&after("duration", "warm_up = \"100 s\"\nduration"), &["warm_up: found 100 s", "shorter than"]);
    says(&with_added("start = \"3 s\"\nstop = \"3 s\""), &["flow.0.stop: found 3 s", "after the start"]);
    says(&with_added("start = \"100 s\""), &["flow.0.start: found 100 s", "never start"]);
}

#[test]
fn tcp_settings_fit_together() {
    let tcp = |text: &str| with_added(&format!("[tcp]\n{text}"));
    says(&tcp("mss = \"0 bytes\""), &["tcp.mss: found 0 bytes", "at least 1"]);
    says(&tcp("mss = \"65 kB\"\nheader = \"600 bytes\""), &["tcp.mss: found 65000 bytes", "65535"]);
    says(&tcp("segments_per_ack = 0"), &["tcp.segments_per_ack: found 0", "from 1"]);
    says(&tcp("rto_min = \"2 min\""), &["tcp.rto_min: found 120 s", "rto_max"]);
    says(&tcp("rto_initial = \"0 s\""), &["tcp.rto_initial: found 0 s", "at least 1 us"]);
    says(&tcp("receive_window = \"100 bytes\""), &["tcp.receive_window: found 100 bytes", "one segment"]);
    says(&tcp("receiver_control = \"rledbt\""), &["tcp.receiver_control: found \"rledbt\"", "\"rledbat\""]);
    says(
        &tcp("receiver_control = \"rledbat\""),
        &["tcp.receiver_control: found rledbat", "timestamps = true"],
    );
    says(
        &tcp("receiver_control = \"rledbat(goal=1)\""),
        &["tcp.receiver_control", "unknown parameter", "target"],
    );
    says(&tcp("initial_window = \"0.5 packets\""), &["tcp.initial_window: found 0.5", "at least 1"]);
    says(&tcp("initial_ssthresh = \"0.5 packets\""), &["tcp.initial_ssthresh: found 0.5", "at least 1"]);
    says(&with_added("tcp = { segments_per_ack = 0 }"), &["flow.0.tcp.segments_per_ack: found 0"]);
}

#[test]
fn captures_name_link_directions() {
    let error = with_added("[trace]\npackets = [\"left->rihgt\"]");
    assert_eq!(error.nearest.as_deref(), Some("left->right"));
    says(&error, &["trace.packets.0: there is no link direction \"left->rihgt\""]);
    let error = with_added("[trace]\npackets = [\"left->right\", \"left->right\"]");
    says(&error, &["trace.packets.1: ", "already"]);
    says(&with_added("[trace]\npackets = [\"src1->dst1\"]"), &["no link direction"]);
    says(&with_added("[trace]\ninterval = \"1 ns\""), &["trace.interval: found 1 ns", "too many"]);
}

#[test]
fn flows_have_names_of_their_own() {
    let error = with_added("name = \"a\"\n[[flow]]\nname = \"a1\"");
    says(&error, &["two flows are named \"a1\""]);
}

#[test]
fn setting_what_does_not_exist_is_an_unknown_key() {
    let scenario = Scenario::from_toml(VALID, &[]).unwrap();
    let error = scenario.with("tcp.mms", "1000 bytes").unwrap_err();
    assert_eq!(error.nearest.as_deref(), Some("mss"));
    says(&error, &["tcp.mms: unknown key", "\"mss\""]);
    let error = scenario.with("topology.dumbell.pairs", "3").unwrap_err();
    says(&error, &["topology.dumbell: unknown key", "\"dumbbell\""]);
    says(&scenario.with("flow.1.packets", "3").unwrap_err(), &["flow.1: there is only element 0"]);
    says(&scenario.with("flow.first.packets", "3").unwrap_err(), &["flow.first: there is only element 0"]);
    says(&scenario.with("duration.seconds", "3").unwrap_err(), &["duration.seconds: ", "not a table"]);
    says(&scenario.with("", "3").unwrap_err(), &["not a path"]);
    says(&scenario.with("tcp..mss", "3").unwrap_err(), &["tcp..mss: not a path"]);
    says(&scenario.with("tcp.mss", "1000").unwrap_err(), &["tcp.mss: found 1000", "without a unit"]);
}

#[test]
fn a_delayed_acknowledgment_of_a_fin_is_for_data_one_way() {
    let both_ways = "request = { size = { constant = \"1 packet\" } }\nresponse = { size = { constant = \"9 packets\" } }\n";
    let everywhere = with_added(&format!("{both_ways}[tcp]\ndelay_fin_ack = true\n"));
    assert_eq!(everywhere.key.as_deref(), Some("tcp.delay_fin_ack"));
    says(&everywhere, &["data both ways", "flow.0", "at once"]);
    let own = with_added(&format!("{both_ways}tcp = {{ delay_fin_ack = true }}\n"));
    assert_eq!(own.key.as_deref(), Some("flow.0.tcp.delay_fin_ack"));
}

/// docs/paths.md: a schedule may have a rate of zero, but not permanently.
#[test]
fn a_schedule_does_not_end_with_a_rate_of_zero() {
    let with_rate = |rate: &str| VALID.replace("rate = \"2 Mbit/s\"", &format!("rate = {rate}"));
    for (rate, found) in [
        (r#"{ steps = [["0 s", "2 Mbit/s"], ["5 s", "0 bit/s"]] }"#, "steps.1"),
        (r#"{ ramps = [["0 s", "2 Mbit/s"], ["5 s", "0 bit/s"]] }"#, "ramps.1"),
    ] {
        let error = error_of(&with_rate(rate)).to_string();
        assert!(error.contains(found) && error.contains("as the last rate, which stays for ever"), "{error}");
    }
    for rate in [
        r#"{ steps = [["0 s", "2 Mbit/s"], ["5 s", "0 bit/s"]], every = "6 s" }"#,
        r#"{ steps = [["0 s", "0 bit/s"], ["5 s", "2 Mbit/s"]] }"#,
        r#"{ markov = { states = ["2 Mbit/s", "0 bit/s"], dwell = ["5 s", "1 s"] } }"#,
    ] {
        Scenario::from_toml(&with_rate(rate), &[]).unwrap();
    }
}

#[test]
fn a_page_and_a_film_over_a_stack_of_quic() {
    let page = with_added("[[flow]]\npage = \"small\"\nhttp = \"3\"\nstack = \"quinn\"").to_string();
    assert!(
        page.contains("flow.1.stack: quinn carries one transfer per flow in one direction: no page, film"),
        "{page}"
    );
    assert!(page.contains("http = \"3\" without stack"), "{page}");
    let film = with_added("[[flow]]\nfilm = {}\nstack = \"noq\"").to_string();
    assert!(film.contains("noq carries one transfer per flow in one direction: no page, film"), "{film}");
    assert!(!film.contains("http"), "{film}");
}
