//! Random values have the tails, the quantiles and the means of their distribution.

use ackclock_random::RandomStream;
use ackclock_simulation::scenario::{Application, Distribution, Packets, Scenario};

const DRAWS: usize = 200_000;

fn distribution(size: &str) -> Distribution<Packets> {
    let text = format!(
        r#"
        name = "sizes"
        duration = "1 s"
        flow = [{{ size = {size} }}]
        topology.dumbbell.bottleneck = {{ rate = "1 Mbit/s", delay = "1 ms" }}
        topology.dumbbell.access = {{ rate = "1 Mbit/s", delay = "1 ms" }}
        "#
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    match &scenario.flow[0].application {
        Application::File(file) => file.size.clone(),
        other => panic!("{other:?}"),
    }
}

/// Draws in ascending order.
fn draws(size: &str) -> Vec<f64> {
    let (law, mut stream) = (distribution(size).law(), RandomStream::new(1, size));
    let mut draws: Vec<f64> = (0..DRAWS).map(|_| law.draw(&mut stream)).collect();
    draws.sort_by(f64::total_cmp);
    draws
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The part of the draws above a value.
fn above(draws: &[f64], value: f64) -> f64 {
    (draws.len() - draws.partition_point(|draw| *draw <= value)) as f64 / draws.len() as f64
}

/// Hill's estimate of the tail index, from the largest draws (Hill 1975).
fn tail_index(draws: &[f64], largest: usize) -> f64 {
    let (below, tail) = draws.split_at(draws.len() - largest);
    let threshold = below[below.len() - 1];
    largest as f64 / tail.iter().map(|draw| (draw / threshold).ln()).sum::<f64>()
}

#[track_caller]
fn near(found: f64, expected: f64, part: f64) {
    assert!((found / expected - 1.0).abs() < part, "{found}, {expected} expected");
}

#[test]
fn pareto_has_its_tail_index_and_its_least_value() {
    // Hill's estimate from k draws has a relative standard error of 1 / sqrt(k).
    for shape in [1.2, 1.5, 2.5] {
        let draws = draws(&format!("{{ pareto = {{ scale = \"4 packets\", shape = {shape} }} }}"));
        near(tail_index(&draws, 10_000), shape, 0.03);
        near(tail_index(&draws, 1000), shape, 0.1);
        assert!(draws[0] >= 4.0 && draws[0] < 4.001, "{}", draws[0]);
    }
    // The scale that a mean implies: 50 packets at a shape of 3 begin at 100/3.
    let draws = draws("{ pareto = { mean = \"50 packets\", shape = 3.0 } }");
    near(mean(&draws), 50.0, 0.01);
    near(draws[0], 100.0 / 3.0, 0.001);
}

#[test]
fn burst_tcps_files_are_mice_but_for_one_in_twelve() {
    // Its chapter 5.2: Pareto(4, 1.2), and 8.7 % of the files have more than 32 packets. In theory it is 8^-1.2.
    let draws = draws("{ pareto = { scale = \"4 packets\", shape = 1.2 } }");
    let elephants = above(&draws, 32.0);
    assert!((0.080..0.087).contains(&elephants), "{elephants}");
    // The median is 4 2^(1/1.2) = 7.13 packets, rounded up 8.
    let law = distribution("{ pareto = { scale = \"4 packets\", shape = 1.2 } }").law();
    let mut stream = RandomStream::new(3, "rounded");
    let mut sizes: Vec<u64> = (0..DRAWS).map(|_| law.draw_whole(&mut stream, 1e12)).collect();
    sizes.sort_unstable();
    assert_eq!((sizes[0], sizes[DRAWS / 2]), (5, 8));
}

#[test]
fn lognormal_has_its_median_mean_and_spread() {
    let draws = draws("{ lognormal = { median = \"10 packets\", sigma = 1.2 } }");
    near(draws[DRAWS / 2], 10.0, 0.01);
    near(mean(&draws), 10.0 * (1.2_f64 * 1.2 / 2.0).exp(), 0.03);
    let logs: Vec<f64> = draws.iter().map(|draw| draw.ln()).collect();
    let centre = mean(&logs);
    near(mean(&logs.iter().map(|log| (log - centre).powi(2)).collect::<Vec<_>>()).sqrt(), 1.2, 0.01);
    // 97.7 % of a normal variable are below two standard deviations.
    near(above(&draws, 10.0 * 2.4_f64.exp()), 0.02275, 0.06);
}

#[test]
fn weibull_has_its_tail_and_its_mean() {
    let draws = draws("{ weibull = { scale = \"10 packets\", shape = 0.5 } }");
    // With a shape of a half the mean is twice the scale, and P(X > x) = exp(-sqrt(x / scale)).
    near(mean(&draws), 20.0, 0.02);
    near(above(&draws, 10.0), (-1.0_f64).exp(), 0.01);
    near(above(&draws, 90.0), (-3.0_f64).exp(), 0.03);
}

#[test]
fn exponential_has_no_memory() {
    let draws = draws("{ exponential = { mean = \"30 packets\" } }");
    near(mean(&draws), 30.0, 0.01);
    let (one, two) = (above(&draws, 30.0), above(&draws, 60.0));
    near(one, (-1.0_f64).exp(), 0.01);
    near(two / one, one, 0.02);
}

#[test]
fn uniform_and_constant_keep_to_their_range() {
    let draws_uniform = draws("{ uniform = { from = \"2 packets\", to = \"12 packets\" } }");
    assert!(draws_uniform[0] >= 2.0 && draws_uniform[DRAWS - 1] < 12.0);
    near(mean(&draws_uniform), 7.0, 0.01);
    near(above(&draws_uniform, 10.0), 0.2, 0.02);
    let constant = draws("{ constant = \"6 packets\" }");
    assert!(constant.iter().all(|draw| draw.to_bits() == 6.0_f64.to_bits()));
}

#[test]
fn a_table_gives_each_size_its_part() {
    let weighted = draws("{ table = { packets = [3, 10, 1000, 7], weights = [5, 0, 1, 2] } }");
    let part = |size: f64| above(&weighted, size - 0.5) - above(&weighted, size + 0.5);
    near(part(3.0), 5.0 / 8.0, 0.01);
    near(part(7.0), 2.0 / 8.0, 0.02);
    near(part(1000.0), 1.0 / 8.0, 0.03);
    assert!(part(10.0).abs() < 1e-12, "a weight of zero");
    let even = draws("{ table = { packets = [1, 2, 4, 8, 16] } }");
    near(mean(&even), 31.0 / 5.0, 0.01);
    near(above(&even, 15.0), 0.2, 0.02);
}
