//! Films in the simulated network: what a viewer sees on paths whose rate is known.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// A viewer of this film over this bottleneck; the server is on the left.
fn text(bottleneck: &str, film: &str, rest: &str) -> String {
    format!(
        r#"
        name = "film"
        duration = "200 s"
        topology.dumbbell.bottleneck = {{ {bottleneck}, delay = "20 ms", buffer = "60 packets" }}
        topology.dumbbell.access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
        {rest}
        [[flow]]
        name = "viewer"
        algorithm = "cubic"
        film = {{ {film} }}
        "#
    )
}

fn run(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real(output: &Output, table: &str, column: &str) -> Vec<f64> {
    output.table(table).unwrap().real(column).unwrap().to_vec()
}

/// A quantity of the only viewer.
fn seen(output: &Output, column: &str) -> f64 {
    real(output, "films", column)[0]
}

fn switches(output: &Output) -> u64 {
    output.table("films").unwrap().count("switches").unwrap()[0]
}

fn error(film: &str) -> String {
    let text = text("rate = \"4 Mbit/s\"", film, "");
    Scenario::from_toml(&text, &[]).unwrap_err().to_string()
}

/// 10 Mbit/s for a film of 4 Mbit/s at most: the buffer fills to 60 s, the last segments have the highest quality, and nothing stalls.
#[test]
fn a_path_faster_than_the_film_shows_its_highest_quality() {
    for adaptation in ["rate", "bba-0", "bba-2", "bola", "bola-u", "bola-o", "robust-mpc"] {
        let film = format!(
            "adaptation = \"{adaptation}\", ladder = [\"1 Mbit/s\", \"2 Mbit/s\", \"4 Mbit/s\"], variation = 0.0"
        );
        let output = run(&text("rate = \"10 Mbit/s\"", &film, ""));
        assert_eq!((seen(&output, "stalls"), seen(&output, "stall_s")), (0.0, 0.0), "{adaptation}");
        let rates = real(&output, "segments", "rate_bit_per_s");
        assert!(rates.ends_with(&[4e6; 5]), "{adaptation}: {rates:?}");
        // Requested at 56 s; the segment takes 1.6 s and some round trips.
        let buffer = real(&output, "segments", "buffer_s");
        let last = buffer[buffer.len() - 2];
        assert!((57.5..58.6).contains(&last), "{adaptation}: {last}");
    }
}

/// 3 Mbit/s carry 2 Mbit/s of film and not 4: the rate-based player requests a segment every 4 s and stays.
#[test]
fn the_rate_based_player_ends_at_the_highest_rate_that_the_path_carries() {
    let film = "adaptation = \"rate\", ladder = [\"1 Mbit/s\", \"2 Mbit/s\", \"4 Mbit/s\"], variation = 0.0";
    let output = run(&text("rate = \"3 Mbit/s\"", film, ""));
    let rates = real(&output, "segments", "rate_bit_per_s");
    assert!(rates.ends_with(&[2e6; 20]), "{rates:?}");
    assert_eq!((switches(&output), seen(&output, "stalls")), (1, 0.0));
    let requests = real(&output, "segments", "request_s");
    assert!(
        requests.windows(2).rev().take(5).all(|pair| (pair[1] - pair[0] - 4.0).abs() < 0.1),
        "{requests:?}"
    );
}

/// A film of 1 Mbit/s over 2 Mbit/s fills its buffer of 20 s; then the path has 0.5 Mbit/s. A segment of 4 s takes 8 s, and with headers and round trips
/// some more. What is missing is the time that passes less the film that there is.
#[test]
fn a_path_that_becomes_slower_than_the_film_stalls_for_the_time_that_is_missing() {
    let film = "adaptation = \"bola\", ladder = [\"1 Mbit/s\"], variation = 0.0, buffer = \"20 s\"";
    let bottleneck = "rate = { steps = [[\"0 s\", \"2 Mbit/s\"], [\"100 s\", \"500 kbit/s\"]] }";
    let output = run(&text(bottleneck, film, ""));
    let (requests, finishes) =
        (real(&output, "segments", "request_s"), real(&output, "segments", "finish_s"));
    let buffers = real(&output, "segments", "buffer_at_request_s");
    let slow: Vec<usize> =
        (0..requests.len()).filter(|at| requests[*at] > 100.0 && finishes[*at] < 200.0).collect();
    assert!(slow.len() > 8, "{requests:?}");
    assert!(slow.iter().all(|at| (8.0..8.5).contains(&(finishes[*at] - requests[*at]))), "{requests:?}");
    let missing: f64 = slow.iter().map(|at| (finishes[*at] - requests[*at] - buffers[*at]).max(0.0)).sum();
    // The film that there is: 16 s at the first request, and all segments but the last.
    let passed = finishes[slow[slow.len() - 1]] - requests[slow[0]];
    let expected = passed - 16.0 - 4.0 * (slow.len() - 1) as f64;
    assert!((missing - expected).abs() < 1e-6 && missing > 30.0, "{missing}, {expected}");
    // What the run cuts off stalls as well.
    let stalled = seen(&output, "stall_s");
    assert!((missing..missing + 8.5).contains(&stalled), "{stalled} of {missing}");
}

/// The film starts to play with its first segment: 0.3 Mbit/s times 4 s over 2 Mbit/s take 0.6 s, after the two round trips of the handshake and the request.
#[test]
fn the_film_begins_when_its_first_segments_are_there() {
    let film = "variation = 0.0";
    let one = run(&text("rate = \"2 Mbit/s\"", film, ""));
    let startup = seen(&one, "startup_s");
    assert!((0.7..1.1).contains(&startup), "{startup}");
    let three = run(&text("rate = \"2 Mbit/s\"", "variation = 0.0, startup = \"12 s\"", ""));
    let finish = real(&three, "segments", "finish_s")[2];
    assert!((seen(&three, "startup_s") - finish).abs() < 1e-9);
}

/// The measures of the table follow from the segments: means of the rates, changes, and the quality of experience with the weights 1 and 3000 kbit/s.
#[test]
fn the_table_sums_up_the_segments() {
    let output = run(&text("rate = \"1.5 Mbit/s\"", "adaptation = \"bola\"", ""));
    let finishes = real(&output, "segments", "finish_s");
    let rates = real(&output, "segments", "rate_bit_per_s");
    let rates: Vec<f64> =
        rates.iter().zip(&finishes).filter(|(_, at)| at.is_finite()).map(|(rate, _)| *rate).collect();
    let count = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let changes: f64 = rates.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    let lost = 3e6 * (seen(&output, "startup_s") + seen(&output, "stall_s"));
    assert!((seen(&output, "rate_bit_per_s") - mean).abs() < 1e-3);
    assert!((seen(&output, "qoe_bit_per_s") - (mean - (changes + lost) / count)).abs() < 1e-3);
    assert!(switches(&output) > 0 && mean > 750e3 && mean < 1.5e6, "{mean}");
}

/// Bulk data in the same direction takes from the film; bulk data towards the server does not.
#[test]
fn a_film_goes_from_the_server_at_the_sending_node() {
    let film = "adaptation = \"bola\"";
    let rate = |rest: &str| seen(&run(&text("rate = \"4 Mbit/s\"", film, rest)), "rate_bit_per_s");
    let (beside, against) = (rate("[[flow]]\ncount = 3"), rate("[[flow]]\ncount = 3\nbackward = true"));
    assert!(beside < 0.7 * against, "{beside} beside, {against} against the film");
}

#[test]
fn a_film_that_ends_leaves_the_path() {
    let output = run(&text("rate = \"4 Mbit/s\"", "length = \"22 s\", adaptation = \"rate\"", ""));
    assert_eq!(real(&output, "segments", "finish_s").len(), 6, "the last segment is whole");
    assert!(seen(&output, "stalls") < 0.5);
}

#[test]
fn errors_name_the_key() {
    for (film, expected) in [
        (
            "adaptation = \"bolla\"",
            "flow.0.film.adaptation: \"bolla\": unknown bit-rate adaptation; did you mean \"bola\"?",
        ),
        ("adaptation = \"bola(gp=0)\"", "flow.0.film.adaptation"),
        ("ladder = []", "flow.0.film.ladder: found 0 rates"),
        ("ladder = [\"2 Mbit/s\", \"1 Mbit/s\"]", "flow.0.film.ladder.1: found 1 Mbit/s after 2 Mbit/s"),
        ("segment = \"0 s\"", "flow.0.film.segment"),
        ("length = \"200 days\"", "flow.0.film.length"),
        ("buffer = \"7 s\"", "flow.0.film.buffer"),
        ("startup = \"57 s\"", "flow.0.film.startup"),
        ("variation = 2.0", "flow.0.film.variation: found 2; from 0 to 1"),
        ("rate = 1", "flow.0.film"),
    ] {
        let error = error(film);
        assert!(error.contains(expected), "{film}: {error}");
    }
}

/// TFRC carries no requests.
#[test]
fn only_tcp_carries_a_film() {
    let text = text("rate = \"4 Mbit/s\"", "", "").replace("cubic", "tfrc");
    let error = Scenario::from_toml(&text, &[]).unwrap_err().to_string();
    assert!(error.contains("flow.0.film") && error.contains("tfrc"), "{error}");
}
