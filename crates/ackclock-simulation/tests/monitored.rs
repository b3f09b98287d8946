//! PCC end to end: what its papers state of flows on one bottleneck.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// The goodputs of flows over 20 Mbit/s, 48 ms and a bandwidth-delay product of buffer in Mbit/s, and the mean queue in packets.
fn run(algorithms: [&str; 2], seconds: u32) -> (Vec<f64>, f64) {
    let [one, other] = algorithms;
    let scenario = format!(
        r#"
        name = "two"
        duration = "{seconds} s"
        warm_up = "{} s"
        [topology.dumbbell]
        pairs = 2
        bottleneck = {{ rate = "20 Mbit/s", delay = "20 ms", buffer = "100% bdp" }}
        access = {{ rate = "1 Gbit/s", delay = "2 ms" }}
        [[flow]]
        algorithm = "{one}"
        [[flow]]
        algorithm = "{other}"
        start = "100 ms"
    "#,
        seconds / 2
    );
    let output = Simulation::new(&Scenario::from_toml(&scenario, &[]).unwrap()).unwrap().run();
    let rates = output.table("flows").unwrap().real("goodput_bit_per_s").unwrap();
    (rates.iter().map(|rate| rate / 1e6).collect(), queue(&output))
}

/// The bottleneck is the forward direction of the link with the longest queue.
fn queue(output: &Output) -> f64 {
    let queues = output.table("links").unwrap().real("mean_queue_packets").unwrap().to_vec();
    queues.into_iter().fold(0.0, f64::max)
}

/// Jain's index.
fn fairness(rates: &[f64]) -> f64 {
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    rates.iter().sum::<f64>().powi(2) / (rates.len() as f64 * squares)
}

/// "converges to a stable and fair equilibrium", with a full buffer.
#[test]
fn two_flows_of_allegro_share_alike() {
    let (rates, queue) = run(["allegro", "allegro(seed=1)"], 60);
    assert!(fairness(&rates) > 0.95, "{rates:?}");
    assert!(rates.iter().sum::<f64>() > 19.0 && queue > 40.0, "{rates:?}, {queue}");
}

/// Theorem 1: the rates of senders of one utility become alike.
#[test]
fn two_flows_of_vivace_share_alike() {
    let (rates, queue) = run(["vivace", "vivace(seed=1)"], 60);
    assert!(fairness(&rates) > 0.95, "{rates:?}");
    assert!(rates.iter().sum::<f64>() > 15.0 && queue < 40.0, "{rates:?}, {queue}");
}

/// The module's utility has no price for a queue that stays: flows share alike, with a full buffer, and leave `cubic` little.
#[test]
fn two_flows_of_linuxs_vivace_share_alike_and_fill_the_buffer() {
    let (rates, queue) = run(["vivace-linux", "vivace-linux(seed=1)"], 60);
    assert!(fairness(&rates) > 0.95, "{rates:?}");
    assert!(rates.iter().sum::<f64>() > 19.0 && queue > 40.0, "{rates:?}, {queue}");
    let (rates, _) = run(["vivace-linux", "cubic"], 60);
    assert!(rates[1] < 4.0, "{rates:?}");
}

/// "friendliness towards legacy TCP": a flow of CUBIC keeps most of the path, of which Allegro leaves it little.
#[test]
fn vivace_gives_way_to_cubic_and_allegro_does_not() {
    let [beside_vivace, beside_allegro] =
        ["vivace", "allegro"].map(|algorithm| run([algorithm, "cubic"], 60).0[1]);
    assert!(beside_vivace > 12.0 && beside_allegro < 6.0, "{beside_vivace}, {beside_allegro}");
}
