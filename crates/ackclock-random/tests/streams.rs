//! Streams depend on their seed and name alone, and draw from the distributions they name.

use ackclock_random::RandomStream;

fn head(seed: u64, name: &str) -> Vec<u64> {
    let mut stream = RandomStream::new(seed, name);
    (0..8).map(|_| stream.bits()).collect()
}

#[test]
fn a_stream_is_its_seed_and_name_whatever_others_do() {
    let alone = head(1, "start tcp1");
    let mut other = RandomStream::new(1, "start tcp2");
    let mut stream = RandomStream::new(1, "start tcp1");
    let interleaved: Vec<_> = (0..8).map(|_| (stream.bits(), other.bits()).0).collect();
    assert_eq!(alone, interleaved);
    assert_ne!(alone, head(2, "start tcp1"));
    assert_ne!(alone, head(1, "start tcp2"));
    assert_ne!(head(0, ""), head(1, ""));
}

#[test]
fn a_stream_is_the_same_on_every_machine_and_in_every_version() {
    // Computed apart from this crate, from the definitions of SipHash-2-4-128 (checked on its published vector) and
    // xoshiro256++. Every random result of a scenario hangs on these numbers.
    assert_eq!(head(1, "golden")[..2], [0xcf70_8694_375a_34cf, 0xf724_fa6e_1610_80dc]);
}

#[test]
fn streams_are_uncorrelated() {
    let (mut a, mut b) = (RandomStream::new(1, "loss a->b"), RandomStream::new(1, "loss b->a"));
    let count = 100_000;
    let covariance: f64 =
        (0..count).map(|_| (a.uniform() - 0.5) * (b.uniform() - 0.5)).sum::<f64>() / f64::from(count);
    // The product of two independent uniforms about 0 has variance 1/144.
    assert!(covariance.abs() < 4.0 / 12.0 / f64::from(count).sqrt(), "{covariance}");
}

#[test]
fn uniform_and_exponential_have_their_moments() {
    let mut stream = RandomStream::new(3, "moments");
    let count = 200_000;
    let root = f64::from(count).sqrt();
    let uniform: Vec<f64> = (0..count).map(|_| stream.uniform()).collect();
    assert!(uniform.iter().all(|u| (0.0..1.0).contains(u)));
    let mean = uniform.iter().sum::<f64>() / f64::from(count);
    assert!((mean - 0.5).abs() < 4.0 * (1.0_f64 / 12.0).sqrt() / root, "{mean}");

    let exponential: Vec<f64> = (0..count).map(|_| stream.exponential(2.0)).collect();
    let mean = exponential.iter().sum::<f64>() / f64::from(count);
    assert!((mean - 2.0).abs() < 4.0 * 2.0 / root, "{mean}");
    // Half of all draws exceed mean * ln 2.
    let above =
        exponential.iter().filter(|x| **x > 2.0 * std::f64::consts::LN_2).count() as f64 / f64::from(count);
    assert!((above - 0.5).abs() < 4.0 * 0.5 / root, "{above}");
}

#[test]
fn pareto_has_its_mean_and_the_index_of_its_tail() {
    let mut stream = RandomStream::new(4, "pareto");
    let (count, scale, shape) = (400_000, 4.0, 2.5);
    let draws: Vec<f64> = (0..count).map(|_| stream.pareto(scale, shape)).collect();
    assert!(draws.iter().all(|x| *x >= scale));
    // The mean is scale * shape / (shape - 1), the variance scale^2 * shape / ((shape - 1)^2 (shape - 2)).
    let mean = draws.iter().sum::<f64>() / f64::from(count);
    let deviation = (16.0_f64 * 2.5 / (2.25 * 0.5)).sqrt() / f64::from(count).sqrt();
    assert!((mean - 20.0 / 3.0).abs() < 4.0 * deviation, "{mean}");
    // Hill's estimator over the largest 2000 (1975): 1 / index is the mean of ln(x / the 2000th), within 1 / sqrt(k).
    let mut heavy: Vec<f64> = (0..count).map(|_| stream.pareto(1.0, 1.2)).collect();
    heavy.sort_by(|a, b| b.total_cmp(a));
    let top = 2000;
    let hill = heavy[..top].iter().map(|x| (x / heavy[top]).ln()).sum::<f64>() / top as f64;
    assert!((1.0 / hill - 1.2).abs() < 4.0 * 1.2 / (top as f64).sqrt(), "{}", 1.0 / hill);
}

#[test]
fn equal_ratios_are_equally_likely() {
    let mut stream = RandomStream::new(6, "ratios");
    let count = 40_000;
    let draws: Vec<f64> = (0..count).map(|_| stream.log_uniform(2.0, 32.0)).collect();
    assert!(draws.iter().all(|x| (2.0..=32.0).contains(x)));
    // Four doublings from 2 to 32: a quarter of the draws falls into each.
    for doubling in 1..=4 {
        let below =
            draws.iter().filter(|x| **x < f64::from(1 << (doubling + 1))).count() as f64 / f64::from(count);
        let expected = f64::from(doubling) / 4.0;
        assert!((below - expected).abs() < 4.0 * 0.5 / f64::from(count).sqrt(), "{below} for {expected}");
    }
}

#[test]
fn lognormal_weibull_and_whole_numbers_have_their_quantiles() {
    let mut stream = RandomStream::new(5, "others");
    let count = 200_000_u32;
    let within = |part: f64, expected: f64| {
        (part - expected).abs() < 4.0 * (expected * (1.0 - expected) / f64::from(count)).sqrt()
    };
    let mut below = |limit: f64, draw: &dyn Fn(&mut RandomStream) -> f64| {
        (0..count).filter(|_| draw(&mut stream) < limit).count() as f64 / f64::from(count)
    };
    // A standard normal number is below 1 with probability 0.841345.
    let lognormal = |stream: &mut RandomStream| stream.lognormal(7.0, 0.5);
    assert!(within(below(7.0, &lognormal), 0.5));
    assert!(within(below(7.0 * 0.5_f64.exp(), &lognormal), 0.841_345));
    // 1 - 1/e are below the scale, whatever the shape; with a shape of 1/2, 1 - e^-2 below four times that.
    let weibull = |stream: &mut RandomStream| stream.weibull(3.0, 0.5);
    assert!(within(below(3.0, &weibull), 1.0 - (-1.0_f64).exp()));
    assert!(within(below(12.0, &weibull), 1.0 - (-2.0_f64).exp()));
    let die = |stream: &mut RandomStream| f64::from(stream.below(6));
    for face in 1..=6 {
        assert!(within(below(f64::from(face) - 0.5, &die), f64::from(face) / 6.0) || face == 6);
    }
    assert!(below(5.5, &die) >= 1.0, "never six of six");
}
