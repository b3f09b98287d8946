//! DCTCP over a port that marks: the analysis of Alizadeh et al. (SIGCOMM 2010), section 3.3, and the rule that follows.
//!
//! For N flows, C packets per second, a round-trip time R and a threshold K: the queue swings between
//! K + N - A and K + N, with A = sqrt(2 N (C R + K)) / 2 (eq. 8 to 10), and never empties if K > C R / 7 (eq. 13).

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// Packets per round trip without queueing: 10 Gbit/s, 100 us, 1500 bytes.
const BDP: f64 = 83.3;

fn run(flows: u32, threshold: u32, more: &[(&str, &str)]) -> Output {
    let text = include_str!("../../../scenarios/datacentre.toml");
    let mut scenario = Scenario::from_toml(text, &[]).unwrap();
    let threshold = format!("{threshold} packets");
    let pairs = flows.to_string();
    let changes = [
        ("topology.dumbbell.bottleneck.ecn_threshold", threshold.as_str()),
        ("topology.dumbbell.pairs", &pairs),
        ("flow.0.count", &pairs),
    ];
    for (key, value) in changes.iter().chain(more) {
        scenario = scenario.with(key, value).unwrap();
    }
    Simulation::new(&scenario).unwrap().run()
}

/// The bottleneck's queue after the warm-up: the least, the mean and the greatest of its samples.
fn queue(output: &Output) -> (f64, f64, f64) {
    let series = output.table("link_series").unwrap();
    let times = series.real("time_s").unwrap();
    let lengths = series.count("queue_packets").unwrap();
    // Every sample has a row for each link, the bottleneck's first.
    let links = times.iter().filter(|time| **time <= 0.0).count();
    let waiting: Vec<f64> = (0..lengths.len())
        .step_by(links)
        .filter(|row| times[*row] >= 0.1)
        .map(|row| lengths[row] as f64)
        .collect();
    let mean = waiting.iter().sum::<f64>() / waiting.len() as f64;
    let least = waiting.iter().copied().fold(f64::INFINITY, f64::min);
    (least, mean, waiting.iter().copied().fold(0.0, f64::max))
}

fn bottleneck(output: &Output, column: &str) -> f64 {
    let links = output.table("links").unwrap();
    links.real(column).map_or_else(|| links.count(column).unwrap()[0] as f64, |values| values[0])
}

/// The queue swings as the analysis has it, and the link is never idle.
#[test]
fn the_queue_stays_near_the_threshold() {
    for flows in [2, 10] {
        let output = run(flows, 40, &[]);
        let (least, mean, most) = queue(&output);
        let (n, k) = (f64::from(flows), 40.0);
        let amplitude = (2.0 * n * (BDP + k)).sqrt() / 2.0;
        assert!((most - (k + n)).abs() < 0.25 * (k + n), "{flows} flows: {most} packets at the most");
        assert!(least > k + n - 2.0 * amplitude, "{flows} flows: {least} packets at the least");
        assert!((k + n - amplitude..=k + n).contains(&mean), "{flows} flows: {mean} packets on average");
        assert!(bottleneck(&output, "utilisation") > 0.999);
        assert!(bottleneck(&output, "marked") > 0.0);
        assert!(bottleneck(&output, "dropped_queue") < 0.5, "nothing is lost");
    }
}

/// Eq. 13: a threshold above a seventh of the bandwidth-delay product, here 12 packets, keeps the link busy; one far below
/// does not.
#[test]
fn the_threshold_for_full_utilisation() {
    let utilisation = |threshold| bottleneck(&run(2, threshold, &[]), "utilisation");
    assert!(utilisation(20) > 0.999, "{}", utilisation(20));
    assert!(utilisation(1) < 0.99, "{}", utilisation(1));
}

/// The estimate of the marked part, averaged over time, is the part that the link marks.
#[test]
fn the_estimate_is_the_marked_part() {
    let output = run(2, 40, &[]);
    let gauges = output.table("gauges").unwrap();
    let (times, values) = (gauges.real("time_s").unwrap(), gauges.real("value").unwrap());
    let late: Vec<f64> = (0..values.len()).filter(|row| times[*row] >= 0.1).map(|row| values[row]).collect();
    let alpha = late.iter().sum::<f64>() / late.len() as f64;
    let part = bottleneck(&output, "marked") / bottleneck(&output, "packets_offered");
    assert!((alpha - part).abs() < 0.2 * part, "{alpha} estimated, {part} marked");
}

/// Where marks are echoed in the classic way every signal halves the window, so that the queue swings further.
#[test]
fn classic_marks_halve_the_window() {
    let more = [("tcp.algorithm", "sack"), ("tcp.ecn", "classic")];
    let output = run(2, 40, &more);
    assert!(bottleneck(&output, "marked") > 0.0 && bottleneck(&output, "dropped_queue") < 0.5);
    let (classic, accurate) = (queue(&output), queue(&run(2, 40, &[])));
    assert!(classic.2 - classic.0 > 2.0 * (accurate.2 - accurate.0), "{classic:?} {accurate:?}");
    // Without ECN the same port fills its buffer, and drops.
    let plain = run(2, 40, &[("tcp.algorithm", "sack"), ("duration", "600 ms")]);
    assert!(bottleneck(&plain, "marked") < 0.5 && bottleneck(&plain, "dropped_queue") > 0.5);
}
