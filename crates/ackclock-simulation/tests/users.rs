//! Users who fetch pages over pools of connections: what can be reckoned by hand.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

/// Seconds that a full packet takes to the far end, and an acknowledgment or a SYN: 10 Mbit/s and 50 ms.
const DATA: f64 = 0.0508;
const ACK: f64 = 0.050_032;
/// Seconds that an acknowledgment takes to transmit.
const SMALL: f64 = 0.000_032;

/// A group of users at `a` and `b`, with packets of 1000 bytes on the wire.
fn text(group: &str, loss: &str, more: &str) -> String {
    format!(
        r#"
        name = "users"
        duration = "30 s"
        {more}
        [[topology.graph.link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "50 ms"
        buffer = "unlimited"
        {loss}
        [[flow]]
        name = "user"
        from = "a"
        to = "b"
        tcp = {{ mss = "960 bytes", segments_per_ack = 1, initial_window = "1 packets", syn_attempts = 2 }}
        {group}
        "#
    )
}

fn run(group: &str, loss: &str, more: &str) -> Output {
    let scenario =
        Scenario::from_toml(&text(group, loss, more), &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real<'a>(output: &'a Output, table: &str, column: &str) -> &'a [f64] {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("{table}.{column}"))
}

fn count<'a>(output: &'a Output, table: &str, column: &str) -> &'a [u64] {
    output.table(table).and_then(|table| table.count(column)).unwrap_or_else(|| panic!("{table}.{column}"))
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// Two packets, one after the other; the second is lost, and sent again after a second.
#[test]
fn a_lost_packet_stalls_its_user_for_a_timeout() {
    let loss = "loss = { scripted = { flow = 0, packets = [2] } }";
    let output = run("packets = 2\npool = { connections = 1 }", loss, "");
    let first = 2.0 * ACK + DATA;
    let second = first + ACK + 1.0 + DATA;
    close(real(&output, "pages", "finish_s")[0], second);
    close(real(&output, "users", "longest_stall_s")[0], second - first);
    close(real(&output, "users", "stall_s")[0], second - first);
    close(real(&output, "users", "waited_s")[0], second);
    close(real(&output, "users", "mean_page_s")[0], second);
    assert_eq!(
        count(&output, "users", "stalls"),
        [1],
        "waiting for the first packet was shorter than a second"
    );
    assert_eq!(count(&output, "pages", "stalls"), [1]);
}

/// A stall begins only when the last of four connections waits: one loss during three active connections is
/// no stall until they have finished.
#[test]
fn data_on_any_connection_ends_a_stall() {
    let loss = "loss = { scripted = { flow = 0, packets = [1] } }";
    let pool = |objects: u32| {
        let group = format!(
            "packets = 8\npool = {{ connections = 4, objects = {{ constant = \"{objects} objects\" }} }}"
        );
        run(&group, loss, "")
    };
    let alone = real(&pool(1), "users", "longest_stall_s")[0];
    // The SYN-ACK, repeated for want of an answer, is answered just before the packet is sent again.
    close(alone, 2.0 * ACK + 1.0 + SMALL + DATA);
    let among_four = real(&pool(4), "users", "longest_stall_s")[0];
    // The others take four round trips for their windows of 1, 2, 4 and 1, in addition to the handshake.
    assert!(among_four < 1.0 - 2.0 * 0.1 && among_four > 0.5, "{among_four}");
}

#[test]
fn a_connection_of_its_own_costs_every_object_a_round_trip() {
    let pool = |persistent: bool| {
        let objects = "objects = { constant = \"3 objects\" }";
        run(
            &format!("packets = 1\npool = {{ connections = 1, {objects}, persistent = {persistent} }}"),
            "",
            "",
        )
    };
    let (own, shared) = (pool(false), pool(true));
    // Before each further SYN goes the last acknowledgment of the connection before.
    close(real(&own, "pages", "finish_s")[0], 3.0 * (2.0 * ACK + DATA) + 2.0 * (ACK + SMALL));
    close(real(&shared, "pages", "finish_s")[0], 2.0 * ACK + 3.0 * DATA + 2.0 * ACK);
    for output in [own, shared] {
        assert_eq!(count(&output, "transfers", "packets"), [1, 1, 1], "an object each");
        assert_eq!(count(&output, "transfers", "packets_sent"), [1, 1, 1]);
        assert_eq!(count(&output, "users", "objects"), [3]);
        assert_eq!(count(&output, "flows", "packets_delivered"), [3]);
    }
}

/// A connection that stays open keeps its window: of 3 packets when the first object of 4 is through, so that the second
/// comes in two round trips, where a new connection would need four.
#[test]
fn an_open_connection_remembers_its_window() {
    let group =
        "packets = 4\npool = { connections = 1, objects = { constant = \"2 objects\" }, persistent = true }";
    let output = run(group, "", "");
    let (starts, finishes) = (real(&output, "transfers", "start_s"), real(&output, "transfers", "finish_s"));
    assert!(finishes[1] - starts[1] < 2.1 * (DATA + ACK), "{starts:?} {finishes:?}");
    assert!(finishes[0] - starts[0] > 3.9 * (DATA + ACK), "a handshake, then windows of 1, 2 and 1");
}

#[test]
fn objects_wait_for_a_free_connection() {
    let starts = |connections: u32| {
        let pool =
            format!("pool = {{ connections = {connections}, objects = {{ constant = \"4 objects\" }} }}");
        let output = run(&format!("packets = 3\n{pool}"), "", "");
        assert_eq!(count(&output, "users", "objects"), [4]);
        let mut starts = real(&output, "transfers", "start_s").to_vec();
        starts.sort_by(f64::total_cmp);
        starts.iter().filter(|start| **start == 0.0).count()
    };
    assert_eq!([1, 3, 4, 9].map(starts), [1, 3, 4, 4]);
}

#[test]
fn the_next_page_comes_after_thinking() {
    let think = "think = { constant = \"2 s\" }\nthink_first = false";
    let output = run(&format!("packets = 1\npool = {{ connections = 1 }}\n{think}"), "", "");
    let starts = real(&output, "pages", "start_s");
    close(starts[1] - starts[0], 2.0 * ACK + DATA + ACK + 2.0);
    assert_eq!(count(&output, "users", "pages"), [14], "one in 2.2 s");
    assert!(real(&output, "users", "longest_stall_s")[0] < 0.2, "thinking is no stall");
    let output = run(&format!("packets = 1\npool = {{ connections = 1 }}\n{think}\nstop = \"5 s\""), "", "");
    assert_eq!(count(&output, "users", "pages"), [3], "none begins after the stop");
}

/// Which objects a page has, and how long a user thinks, is the user's own draw.
#[test]
fn pages_are_the_same_whatever_the_algorithm() {
    let pages = |algorithm: &str| {
        let group = format!(
            r#"
            count = 3
            algorithm = "{algorithm}"
            size = {{ pareto = {{ scale = "2 packets", shape = 1.2 }} }}
            think = {{ exponential = {{ mean = "1 s" }} }}
            pool = {{ connections = 2, objects = {{ exponential = {{ mean = "5 objects" }} }} }}
            "#
        );
        let output = run(&group, "loss = { bernoulli = 0.02 }", "");
        let Some(Column::Index(users)) = output.table("pages").unwrap().column("user").cloned() else {
            panic!()
        };
        let content = count(&output, "pages", "objects").iter().zip(count(&output, "pages", "packets"));
        let mut by_user = vec![Vec::new(); 3];
        for (user, content) in users.into_iter().zip(content) {
            by_user[user as usize].push((*content.0, *content.1));
        }
        by_user
    };
    let (newreno, tfrc) = (pages("newreno"), pages("tfrc"));
    for (one, other) in newreno.iter().zip(&tfrc) {
        let both = one.len().min(other.len());
        assert!(both >= 3, "{one:?} {other:?}");
        assert_eq!(one[..both], other[..both]);
    }
    assert_ne!(newreno[0], newreno[1]);
}

#[test]
fn the_end_of_the_run_ends_a_stall() {
    let patient = "packets = 1\npool = { connections = 2, objects = { constant = \"2 objects\" } }\ntcp = { syn_attempts = 9 }";
    let text = text(patient, "loss = { bernoulli = 1.0 }", "").replacen("tcp = { mss", "# tcp = { mss", 1);
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
    close(real(&output, "users", "longest_stall_s")[0], 30.0);
    assert!(real(&output, "pages", "finish_s")[0].is_nan() && count(&output, "users", "pages") == [0]);
}

#[test]
fn what_happens_before_the_warm_up_ends_is_no_stall() {
    let loss = "loss = { scripted = { flow = 0, packets = [2] } }";
    let output = run("packets = 2\npool = { connections = 1 }", loss, "warm_up = \"1 s\"");
    close(real(&output, "users", "longest_stall_s")[0], 2.0 * ACK + DATA + ACK + 1.0 + DATA - 1.0);
    assert_eq!(count(&output, "users", "pages"), [0], "the page began before");
}

/// Two SYNs, at 0 and 1 s, then the user gives up at 3 s and asks for the next object.
#[test]
fn a_connection_that_fails_gives_its_object_up() {
    let objects = "objects = { constant = \"2 objects\" }";
    for persistent in [false, true] {
        let pool = format!("pool = {{ connections = 1, {objects}, persistent = {persistent} }}");
        let output = run(&format!("packets = 1\n{pool}"), "loss = { bernoulli = 1.0 }", "");
        assert_eq!(count(&output, "pages", "failed_objects"), [2]);
        close(real(&output, "pages", "finish_s")[0], 6.0);
        close(real(&output, "users", "waited_s")[0], 6.0);
    }
}

#[test]
fn any_transport_serves_users() {
    for algorithm in ["tfrc", "acknak", "bbr3", "sack+cubic"] {
        let group = format!(
            "algorithm = \"{algorithm}\"\npackets = 20\npool = {{ connections = 3, objects = {{ constant = \"7 objects\" }} }}"
        );
        let output = run(&group, "", "");
        assert_eq!(count(&output, "users", "objects"), [7], "{algorithm}");
    }
}

/// A user's connections run between the same nodes; users take pairs in turn, and so do flows after them.
#[test]
fn a_user_has_one_place() {
    let text = r#"
        name = "places"
        duration = "1 s"
        [topology.dumbbell]
        pairs = 3
        bottleneck = { rate = "1 Mbit/s", delay = "10 ms" }
        access = { rate = "10 Mbit/s", delay = "1 ms" }
        [[flow]]
        name = "user"
        count = 2
        packets = 5
        start_jitter = "500 ms"
        pool = { connections = 2 }
        [[flow]]
        name = "long"
        [[udp]]
        rate = "10 kbit/s"
    "#;
    let scenario = Scenario::from_toml(text, &[]).unwrap();
    let flows = scenario.flows();
    let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["user1.1", "user1.2", "user2.1", "user2.2", "long"]);
    let sources: Vec<&str> = flows.iter().map(|flow| flow.source.as_str()).collect();
    assert_eq!(sources, ["src1", "src1", "src2", "src2", "src3"]);
    assert_eq!(flows[0].start, flows[1].start);
    assert_eq!((scenario.flow_count(), scenario.udp_flows()[0].index), (6, 5));
    assert_eq!(scenario.udp_flows()[0].source, "src1");
}

#[test]
fn mistakes_are_named() {
    let says = |group: &str, key: &str, part: &str| {
        let error = Scenario::from_toml(&text(group, "", ""), &[]).expect_err("accepted");
        assert_eq!(error.key.as_deref(), Some(key), "{error}");
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    };
    says("pool = { connections = 1 }", "flow.0.size", "objects");
    says("packets = 1\npool = {}", "flow.0.pool.connections", "needed");
    says("packets = 1\npool = { connections = 0 }", "flow.0.pool.connections", "1 to");
    says("packets = 1\npool = { conections = 1 }", "flow.0.pool.conections", "connections");
    let objects = |objects: &str| format!("packets = 1\npool = {{ connections = 1, objects = {objects} }}");
    says(&objects("{ constant = \"3 packets\" }"), "flow.0.pool.objects.constant", "objects");
    says(&objects("{ constant = \"0 objects\" }"), "flow.0.pool.objects.constant", "zero");
    says(&objects("{ table = { packets = [1] } }"), "flow.0.pool.objects.table", "sizes");
    let tfrc = "packets = 1\nalgorithm = \"tfrc\"\npool = { connections = 1, persistent = true }";
    says(tfrc, "flow.0.pool.persistent", "TCP");
    says("count = 10000\npackets = 1\npool = { connections = 1000 }", "flow", "10000000 flows");
}
