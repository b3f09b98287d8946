//! Pages of objects that depend on each other: what can be reckoned by hand.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// Seconds that a full packet takes to the far end, and an acknowledgment or a SYN: 10 Mbit/s and 50 ms.
const DATA: f64 = 0.0508;
const ACK: f64 = 0.050_032;
/// Seconds that a full packet takes to transmit.
const PACKET: f64 = 0.0008;
/// Seconds that a request of 460 bytes takes to the server.
const REQUEST: f64 = 0.0504;

/// A document of this many packets, and the objects.
fn page(document: u32, objects: &str) -> String {
    format!("[[flow.page.objects]]\nname = \"document\"\nsize = \"{} bytes\"\n{objects}", 960 * document)
}

/// An object of this many packets.
fn object(name: &str, packets: u32, more: &str) -> String {
    format!("[[flow.page.objects]]\nname = \"{name}\"\nsize = \"{} bytes\"\n{more}\n", 960 * packets)
}

/// A user at `a` and a server at `b`, with packets of 1000 bytes on the wire.
fn text(http: &str, page: &str, loss: &str, more: &str) -> String {
    format!(
        r#"
        name = "pages"
        duration = "30 s"
        [[topology.graph.link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "50 ms"
        buffer = "unlimited"
        reverse = {{ {loss} }}
        [[flow]]
        name = "user"
        from = "a"
        to = "b"
        http = {{ request = "460 bytes", {http} }}
        tcp = {{ mss = "960 bytes", header = "40 bytes", initial_window = "10 packets", pacing = "algorithm" }}
        {more}
        {page}
        "#
    )
}

fn run(http: &str, page: &str, loss: &str, more: &str) -> Output {
    run_text(&text(http, page, loss, more))
}

/// The end of a run asserts that no packet vanished or multiplied.
fn run_text(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]);
    Simulation::new(&scenario.unwrap_or_else(|error| panic!("{error}"))).unwrap().run()
}

fn real<'a>(output: &'a Output, table: &str, column: &str) -> &'a [f64] {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("{table}.{column}"))
}

fn count<'a>(output: &'a Output, table: &str, column: &str) -> &'a [u64] {
    output.table(table).and_then(|table| table.count(column)).unwrap_or_else(|| panic!("{table}.{column}"))
}

/// When each object of the first page was complete.
fn finish(output: &Output) -> &[f64] {
    real(output, "objects", "finish_s")
}

const VERSIONS: [&str; 3] =
    ["version = \"1.1\", tls = false", "version = \"2\", tls = false", "version = \"3\""];
const TWO: &str = VERSIONS[1];
const THREE: &str = VERSIONS[2];

/// The arrival of a document of nine packets: a handshake, a request, and the packets one after the other. The acknowledgment of the
/// ninth goes with the next request.
const DOCUMENT: f64 = 2.0 * ACK + REQUEST + DATA + 8.0 * PACKET;

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn what_the_document_mentions_is_asked_for_when_it_has_arrived() {
    for version in VERSIONS {
        let output = run(version, &page(9, &object("picture", 1, "")), "", "");
        close(finish(&output)[0], DOCUMENT);
        close(finish(&output)[1], DOCUMENT + REQUEST + DATA);
        close(real(&output, "pages", "finish_s")[0], DOCUMENT + REQUEST + DATA);
        close(real(&output, "pages", "first_object_s")[0], DOCUMENT);
        assert_eq!(count(&output, "pages", "objects"), [2]);
    }
}

/// The parser needs 960 bytes, which are the first packet, and takes 100 ms.
#[test]
fn a_mention_counts_from_its_place_and_takes_the_time_to_parse() {
    let picture = object("picture", 1, "offset = \"960 bytes\"\ndelay = \"100 ms\"");
    let output = run(TWO, &page(9, &picture), "", "");
    let found = 2.0 * ACK + REQUEST + DATA + 0.1;
    close(real(&output, "objects", "found_s")[1], found);
    close(finish(&output)[1], found + REQUEST + DATA);
}

/// A hello of 500 bytes, and an answer of 4000: four full packets and one of 160 bytes, whose acknowledgment goes with the request.
#[test]
fn tls_takes_one_more_round_trip() {
    let output = run("version = \"2\"", &page(9, ""), "", "");
    let hello = 0.05 + 540.0 * 8.0 / 1e7;
    let answer = 0.05 + 4.0 * PACKET + 200.0 * 8.0 / 1e7;
    close(finish(&output)[0], DOCUMENT + hello + answer);
}

/// Eight objects of a packet. Of six connections one is open: it brings the first object and asks for the seventh. The second
/// connection takes a handshake, brings its object, and is then the first that is free for the eighth. On one connection the requests
/// fill four packets, and the objects come one after the other.
#[test]
fn many_small_objects_take_the_rounds_of_their_connections() {
    let objects: String = (1..=8).map(|number| object(&format!("{number}"), 1, "")).collect();
    let pool = run(VERSIONS[0], &page(9, &objects), "", "");
    close(real(&pool, "pages", "finish_s")[0], DOCUMENT + 2.0 * ACK + 2.0 * (REQUEST + DATA));
    let used = count(&pool, "objects", "connection");
    assert_eq!(used.iter().max(), Some(&5), "a pool has six connections");
    for version in [TWO, THREE] {
        let output = run(version, &page(9, &objects), "", "");
        close(real(&output, "pages", "finish_s")[0], DOCUMENT + 2.0 * DATA + 7.0 * PACKET);
    }
}

/// Two objects of two packets each; the first packet of the first object is lost. The three after it report the loss: the
/// repair takes the acknowledgment of the last and the packet.
#[test]
fn a_lost_packet_blocks_other_streams_of_tcp_only() {
    let objects = object("first", 2, "") + &object("second", 2, "");
    let loss = "loss = { scripted = { flow = 0, packets = [10] } }";
    let requests = 0.05 + 960.0 * 8.0 / 1e7;
    let clean = DOCUMENT + requests + DATA + 3.0 * PACKET;
    let repair = ACK + DATA;
    for (version, second) in [(TWO, clean + repair), (THREE, clean)] {
        close(finish(&run(version, &page(9, &objects), "", ""))[2], clean);
        let output = run(version, &page(9, &objects), loss, "");
        close(finish(&output)[1], clean + repair);
        close(finish(&output)[2], second);
    }
}

/// The time at which a page's objects are complete, as their order.
fn order(output: &Output) -> Vec<usize> {
    let finish = finish(output);
    let mut order: Vec<usize> = (1..finish.len()).collect();
    order.sort_by(|one, other| finish[*one].total_cmp(&finish[*other]));
    order
}

#[test]
fn urgencies_order_the_responses() {
    let urgencies = [5, 1, 3];
    let objects: String = urgencies
        .iter()
        .map(|urgency| object(&format!("u{urgency}"), 60, &format!("urgency = {urgency}")))
        .collect();
    for version in [TWO, THREE] {
        assert_eq!(order(&run(version, &page(9, &objects), "", "")), [2, 3, 1], "{version}");
    }
}

/// Responses that are not incremental come one after the other; incremental ones share, so that the first is complete a frame before the
/// second. Frames have 16384 bytes, or a packet.
#[test]
fn incremental_responses_share_the_connection() {
    let run_wide = |version: &str, more: &str| {
        let objects = object("first", 60, more) + &object("second", 60, more);
        // All fits into the first window.
        run_text(&text(version, &page(9, &objects), "", "").replace("10 packets", "200 packets"))
    };
    for (version, frame) in [(TWO, 16_384.0), (THREE, 960.0)] {
        let last = |output: &Output| finish(output)[2] - finish(output)[1];
        close(last(&run_wide(version, "")), 60.0 * PACKET);
        let shared = last(&run_wide(version, "incremental = true"));
        assert!(shared <= (frame / 960.0 + 1.0) * PACKET, "{shared}");
    }
}

/// The nine packets of a document each show a ninth of it: before the first nothing is there, then 8/9 are missing for the time of a packet,
/// and so on.
#[test]
fn the_visual_area_is_what_is_missing_over_time() {
    let page = page(9, "").replace("name = \"document\"", "name = \"document\"\nvisual = true");
    let output = run(TWO, &page, "", "");
    close(real(&output, "pages", "visual_area_s")[0], DOCUMENT - 8.0 * PACKET + 4.0 * PACKET);
    close(real(&output, "users", "mean_visual_area_s")[0], DOCUMENT - 4.0 * PACKET);
}

/// A user who waits 300 ms for a page of 600 packets, half a second of the link, gives up, thinks for a second, and asks again.
#[test]
fn a_page_is_given_up_when_patience_ends() {
    for version in VERSIONS {
        let more = "patience = { constant = \"300 ms\" }\nthink = { constant = \"1 s\" }\nthink_first = false\nstop = \"2 s\"";
        let output = run(version, &page(600, ""), "", more);
        assert_eq!(count(&output, "users", "given_up"), [2], "{version}");
        assert_eq!(count(&output, "pages", "given_up"), [1, 1]);
        assert!(real(&output, "pages", "finish_s").iter().all(|time| time.is_nan()));
        close(real(&output, "pages", "start_s")[1], 1.3);
        // The server stops when it hears of it: a request's time later, at most what the window and a frame hold is still sent.
        let delivered = count(&output, "flows", "packets_delivered")[0];
        assert!(delivered < 600, "{version}: {delivered}");
    }
}

#[test]
fn a_user_thinks_between_pages_on_the_same_connection() {
    let more = "think = { constant = \"1 s\" }\nthink_first = false\nstop = \"2 s\"";
    let output = run(TWO, &page(1, ""), "", more);
    let first = 2.0 * ACK + REQUEST + DATA;
    close(real(&output, "pages", "start_s")[1], first + 1.0);
    // The delayed acknowledgment of the first page has left before.
    close(real(&output, "pages", "finish_s")[1], first + 1.0 + REQUEST + DATA);
    assert_eq!(count(&output, "users", "pages"), [2]);
    assert_eq!(count(&output, "objects", "page"), [0, 1]);
}

#[track_caller]
fn refused(http: &str, page: &str, key: &str, message: &str) {
    let error = Scenario::from_toml(&text(http, page, "", ""), &[]).expect_err("refused");
    assert_eq!(error.key.as_deref(), Some(key), "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn pages_that_contradict_themselves_are_refused() {
    let with = |more: &str| page(9, &object("picture", 1, more));
    refused(TWO, &with("parent = \"dokument\""), "flow.0.page.objects.1.parent", "document");
    refused(TWO, &with("urgency = 8"), "flow.0.page.objects.1.urgency", "0 to 7");
    refused(TWO, &with("offset = \"10 kB\""), "flow.0.page.objects.1.offset", "its parent has");
    refused(TWO, "page = \"median-dekstop\"", "flow.0.page", "median-desktop");
    refused(TWO, "page = { objects = [] }", "flow.0.page.objects", "1 to 10000");
    refused("version = \"4\"", &page(9, ""), "flow.0.http.version", "1.1");
    refused("version = \"2\", connections = 2", &page(9, ""), "flow.0.http.connections", "1.1");
    refused("version = \"3\", tls = true", &page(9, ""), "flow.0.http.tls", "QUIC");
}

/// Every built-in page arrives whole, over each version.
#[test]
fn built_in_pages_arrive() {
    for name in ackclock_simulation::scenario::Page::built_in() {
        for version in VERSIONS {
            let output = run(version, &format!("page = \"{name}\""), "", "");
            assert_eq!(count(&output, "users", "pages"), [1], "{name} over {version}");
            assert!(finish(&output).iter().all(|time| time.is_finite()));
        }
    }
}

/// The page of the median desktop has the objects and the bytes of its source, as far as whole bytes go.
#[test]
fn the_median_page_has_the_bytes_of_its_source() {
    let output = run(TWO, "page = \"median-desktop\"", "", "");
    let bytes: u64 = count(&output, "objects", "bytes").iter().sum();
    let source = (18 + 78 + 131 + 613 + 1054) * 1024;
    assert_eq!(count(&output, "objects", "bytes").len(), 2 + 8 + 4 + 24 + 18);
    assert!(bytes <= source && bytes > source - 56, "{bytes} of {source}");
}
