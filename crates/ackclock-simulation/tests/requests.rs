//! Requests and responses over one connection: what can be reckoned by hand, and what holds with losses both ways.

use ackclock_simulation::scenario::{Scenario, ScenarioError};
use ackclock_simulation::{Column, Output, Simulation, Table};

/// Seconds that a full packet takes to the far end, and an acknowledgment or a SYN: 10 Mbit/s and 50 ms.
const DATA: f64 = 0.0508;
const ACK: f64 = 0.050_032;
/// Seconds that a full packet takes to transmit.
const PACKET: f64 = 0.0008;

/// A group of clients at `a` with servers at `b`, and packets of 1000 bytes on the wire.
fn text(group: &str, loss: &str, more: &str) -> String {
    format!(
        r#"
        name = "requests"
        duration = "60 s"
        trace.transfers = true
        {more}
        [[topology.graph.link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "50 ms"
        buffer = "unlimited"
        {loss}
        [[flow]]
        name = "client"
        from = "a"
        to = "b"
        tcp = {{ mss = "960 bytes", initial_window = "10 packets" }}
        {group}
        "#
    )
}

fn read(group: &str, loss: &str, more: &str) -> Result<Scenario, ScenarioError> {
    Scenario::from_toml(&text(group, loss, more), &[])
}

/// The end of a run asserts that no packet vanished or multiplied.
fn run(group: &str, loss: &str, more: &str) -> Output {
    Simulation::new(&read(group, loss, more).unwrap_or_else(|error| panic!("{error}"))).unwrap().run()
}

fn responses(output: &Output) -> &Table {
    output.table("responses").expect("the table of responses")
}

fn real<'a>(output: &'a Output, column: &str) -> &'a [f64] {
    responses(output).real(column).unwrap_or_else(|| panic!("{column}"))
}

fn count<'a>(output: &'a Output, table: &str, column: &str) -> &'a [u64] {
    output.table(table).and_then(|table| table.count(column)).unwrap_or_else(|| panic!("{table}.{column}"))
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn a_request_and_its_response_take_the_times_of_their_packets() {
    let output = run(
        "request = { size = { constant = \"1 packet\" } }\nresponse = { size = { constant = \"3 packets\" } }",
        "",
        "",
    );
    let received = 2.0 * ACK + DATA;
    close(real(&output, "request_s")[0], 0.0);
    close(real(&output, "request_received_s")[0], received);
    close(real(&output, "first_packet_s")[0], received + DATA);
    close(real(&output, "finish_s")[0], received + DATA + 2.0 * PACKET);
    assert_eq!(count(&output, "responses", "request_packets"), [1]);
    assert_eq!(count(&output, "responses", "response_packets"), [3]);
    assert_eq!(real(&output, "request_s").len(), 1, "without thinking there is one request");
    assert_eq!(count(&output, "flows", "packets_delivered"), [4]);
    assert_eq!(count(&output, "flows", "packets_sent"), [4]);
}

#[test]
fn client_and_server_think_before_they_send() {
    let output = run(
        "request = { size = { constant = \"2 packets\" } }\n\
         response = { size = { constant = \"1 packet\" }, think = { constant = \"300 ms\" } }\n\
         think = { constant = \"1 s\" }\nthink_first = false\nstop = \"2500 ms\"",
        "",
        "",
    );
    let exchange = DATA + PACKET + 0.3 + DATA;
    let first = 2.0 * ACK + exchange;
    close(real(&output, "finish_s")[0], first);
    close(real(&output, "request_s")[1], first + 1.0);
    close(real(&output, "finish_s")[1], first + 1.0 + exchange);
    assert_eq!(real(&output, "request_s").len(), 2, "the third would come after the stop");
}

#[test]
fn the_wire_shows_acknowledgments_with_data_and_a_fin_each_way() {
    let output = run(
        "request = { size = { constant = \"1 packet\" } }\nresponse = { size = { constant = \"2 packets\" } }",
        "",
        "trace.packets = [\"a->b\", \"b->a\"]",
    );
    let packets = output.table("packets").expect("captured packets");
    let column = |name: &str| packets.count(name).expect("a column").to_vec();
    let link = match packets.columns().iter().find(|(name, _)| *name == "link") {
        Some((_, Column::Index(links))) => links.clone(),
        other => panic!("{other:?}"),
    };
    let (sequence, acknowledgment, length) =
        (column("sequence"), column("acknowledgment"), column("payload_bytes"));
    let rows: Vec<(u32, u64, u64, u64)> =
        (0..link.len()).map(|row| (link[row], sequence[row], acknowledgment[row], length[row])).collect();
    let expected = [
        (0, 0, 0, 0),     // SYN
        (1, 0, 1, 0),     // SYN-ACK
        (0, 1, 1, 960),   // the request
        (1, 1, 961, 960), // the response acknowledges it
        (1, 961, 961, 960),
        (0, 961, 1921, 0), // every second packet at once: with the client's FIN
    ];
    assert_eq!(rows[..6], expected, "{rows:?}");
    let last: Vec<_> = rows.iter().rev().take(4).collect();
    assert!(last.iter().any(|row| row.2 == 962), "the client's FIN is acknowledged: {rows:?}");
    assert!(last.iter().any(|row| row.2 == 1922), "the server's FIN is acknowledged: {rows:?}");
}

#[test]
fn exchanges_end_with_losses_both_ways_whatever_the_recovery() {
    for algorithm in ["reno", "newreno", "sack+cubic", "prr", "rack", "vegas", "sack+bbr1"] {
        let group = format!(
            "algorithm = \"{algorithm}\"\ncount = 5\n\
             request = {{ size = {{ uniform = {{ from = \"1 packet\", to = \"8 packets\" }} }} }}\n\
             response = {{ size = {{ exponential = {{ mean = \"30 packets\" }} }} }}\n\
             think = {{ exponential = {{ mean = \"200 ms\" }} }}"
        );
        let loss = "loss = { bernoulli = 0.04 }\nreverse = { loss = { bernoulli = 0.04 } }";
        let output = run(&group, loss, "");
        let (request, received) = (real(&output, "request_s"), real(&output, "request_received_s"));
        let (first, finish) = (real(&output, "first_packet_s"), real(&output, "finish_s"));
        let done = finish.iter().filter(|time| time.is_finite()).count();
        assert!(done > 50, "{algorithm}: {done} exchanges");
        for row in 0..done {
            assert!(request[row] < received[row] && received[row] < first[row] && first[row] <= finish[row]);
        }
        let asked = count(&output, "responses", "request_packets");
        let answered = count(&output, "responses", "response_packets");
        let whole: u64 = (0..done).map(|row| asked[row] + answered[row]).sum();
        let everything: u64 = asked.iter().chain(answered).sum();
        let delivered: u64 = count(&output, "flows", "packets_delivered").iter().sum();
        assert!(
            (whole..=everything).contains(&delivered),
            "{algorithm}: {whole} <= {delivered} <= {everything}"
        );
    }
}

/// The draws are the application's own: another algorithm gets the same requests and responses.
#[test]
fn sizes_do_not_depend_on_the_algorithm() {
    let sizes = |algorithm: &str| {
        let group = format!(
            "algorithm = \"{algorithm}\"\nrequest = {{ size = {{ constant = \"1 packet\" }} }}\n\
             response = {{ size = {{ exponential = {{ mean = \"30 packets\" }} }} }}\n\
             think = {{ constant = \"1 s\" }}"
        );
        count(&run(&group, "loss = { bernoulli = 0.01 }", ""), "responses", "response_packets")[..10].to_vec()
    };
    assert_eq!(sizes("newreno"), sizes("cubic"));
}

#[test]
fn contradictions_are_said_before_the_run() {
    let says = |group: &str, key: &str, word: &str| {
        let error = read(group, "", "").unwrap_err();
        assert_eq!(error.key.as_deref(), Some(key), "{error}");
        assert!(error.message.contains(word), "{error}");
    };
    let (request, response) = (
        "request = { size = { constant = \"1 packet\" } }",
        "response = { size = { constant = \"1 packet\" } }",
    );
    says(request, "flow.0.response", "missing");
    says(response, "flow.0.request", "missing");
    says(&format!("{request}\n{response}\npackets = 3"), "flow.0.packets", "request-response");
    says(&format!("{request}\n{response}\nalgorithm = \"tfrc\""), "flow.0.request", "only TCP");
    says(
        &format!("request = {{ size = {{ constant = \"0 packets\" }} }}\n{response}"),
        "flow.0.request.size.constant",
        "zero",
    );
    says(&format!("{request}\n{response}\nthink_first = false"), "flow.0.think_first", "think");
}
