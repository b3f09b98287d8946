//! Losses have the frequency and the runs their models state.

use crate::common::{at, byte_per_microsecond, packet, run, single};
use ackclock_network::{
    Arrival, BufferSize, DropReason, GilbertElliott, LinkId, LossModel, Packet, ScriptedLoss,
};
use ackclock_units::Duration;

/// Sends packets one by one over an idle lossy link: which are lost?
fn losses(loss: LossModel, count: u32, seed: u64) -> Vec<bool> {
    let (mut network, route) = single(byte_per_microsecond(Duration::ZERO).with_loss(loss), seed);
    let traffic: Vec<_> =
        (0..count).map(|number| (at(u64::from(number) * 10), packet(route, 1, number))).collect();
    run(&mut network, &traffic)
        .iter()
        .map(|(_, arrival)| matches!(arrival, Arrival::Dropped { .. }))
        .collect()
}

fn fraction(lost: &[bool]) -> f64 {
    lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
}

#[test]
fn bernoulli_losses_lie_within_binomial_bounds() {
    for (probability, seed) in [(0.01, 1), (0.3, 2), (0.99, 3)] {
        let lost = losses(LossModel::Bernoulli(probability), 100_000, seed);
        let deviation = (probability * (1.0 - probability) / 100_000.0_f64).sqrt();
        assert!(
            (fraction(&lost) - probability).abs() < 4.0 * deviation,
            "{probability}: {}",
            fraction(&lost)
        );
        // Independent: after a loss the next is as likely as ever.
        let after: Vec<_> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        let deviation = (probability * (1.0 - probability) / after.len() as f64).sqrt();
        assert!(
            (fraction(&after) - probability).abs() < 4.0 * deviation,
            "{probability}: {}",
            fraction(&after)
        );
    }
    assert!(losses(LossModel::Bernoulli(1.0), 1000, 4).iter().all(|lost| *lost));
    assert!(losses(LossModel::Bernoulli(0.0), 1000, 4).iter().all(|lost| !*lost));
}

#[test]
fn gilbert_elliott_has_its_stationary_loss_rate_and_mean_run() {
    let (p, r, count) = (0.01, 0.2, 400_000);
    let model = GilbertElliott { good_to_bad: p, bad_to_good: r, loss_good: 0.0, loss_bad: 1.0 };
    let lost = losses(LossModel::GilbertElliott(model), count, 1);
    // Stationary: p / (p + r). A two-state chain with eigenvalue 1 - p - r has the variance of a binomial one
    // times (2 - p - r) / (p + r).
    let rate = p / (p + r);
    let deviation = (rate * (1.0 - rate) * (2.0 - p - r) / (p + r) / f64::from(count)).sqrt();
    assert!((fraction(&lost) - rate).abs() < 4.0 * deviation, "{} for {rate}", fraction(&lost));
    // A run ends with probability r at each packet: geometric, mean 1 / r, variance (1 - r) / r^2.
    let runs: Vec<usize> = lost.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
    let mean = runs.iter().sum::<usize>() as f64 / runs.len() as f64;
    let deviation = ((1.0 - r) / (r * r) / runs.len() as f64).sqrt();
    assert!((mean - 1.0 / r).abs() < 4.0 * deviation, "{mean} for {}", 1.0 / r);
}

#[test]
fn gilbert_elliott_mixes_the_losses_of_both_states() {
    let model = GilbertElliott { good_to_bad: 0.3, bad_to_good: 0.1, loss_good: 0.02, loss_bad: 0.5 };
    let lost = losses(LossModel::GilbertElliott(model), 200_000, 5);
    // A quarter of the time good: 0.25 * 0.02 + 0.75 * 0.5. Losses within a state are independent, so the variance
    // stays below that of a channel that loses everything when bad: factor (2 - 0.4) / 0.4 of the binomial one.
    let deviation = (0.38 * 0.62 * 4.0 / 200_000.0_f64).sqrt();
    assert!((fraction(&lost) - 0.38).abs() < 4.0 * deviation, "{}", fraction(&lost));
}

#[test]
fn scripted_losses_are_exactly_those_named() {
    let script = ScriptedLoss { flow: 1, packets: vec![4, 2, 0, 2] };
    let config = byte_per_microsecond(Duration::ZERO).with_loss(LossModel::Scripted(script));
    let (mut network, route) = single(config, 1);
    // Flow 1 sends data and acknowledgments in turn, flow 0 data: only flow 1's second and fourth data packets go.
    let traffic: Vec<_> = (0..30)
        .map(|number| {
            let sent = packet(route, 1, number);
            (
                at(u64::from(number) * 10),
                Packet { flow: u32::from(number % 3 > 0), data: number % 3 < 2, ..sent },
            )
        })
        .collect();
    let log = run(&mut network, &traffic);
    let gone = log.iter().filter_map(|(_, arrival)| match arrival {
        Arrival::Dropped { reason: DropReason::Loss, packet, .. } => Some(packet.payload),
        _ => None,
    });
    assert_eq!(gone.collect::<Vec<_>>(), [4, 10]);
}

#[test]
fn a_script_counts_what_the_queue_drops_and_random_loss_does_not_see_it() {
    let script = ScriptedLoss { flow: 0, packets: vec![2, 3] };
    let config = byte_per_microsecond(Duration::ZERO).with_buffer(BufferSize::Packets(0));
    let (mut network, route) = single(config.clone().with_loss(LossModel::Scripted(script)), 1);
    let times = [0, 5, 10, 20];
    let traffic: Vec<_> = times.iter().zip(0..).map(|(time, n)| (at(*time), packet(route, 10, n))).collect();
    run(&mut network, &traffic);
    let counts = network.conservation();
    // The second is dropped by the queue, the third by the script.
    assert_eq!((counts.dropped_queue, counts.dropped_loss, counts.delivered), (1, 1, 2));

    let random = || config.clone().with_loss(LossModel::Bernoulli(0.5));
    let spaced: Vec<_> = (0..64).map(|n| (at(n * 10), packet(route, 10, 0))).collect();
    let doubled: Vec<_> = (0..128).map(|n| (at(n * 5), packet(route, 10, 0))).collect();
    let outcome = |traffic: &[_]| {
        run(&mut single(random(), 7).0, traffic).iter().map(|(time, a)| (*time, *a)).collect::<Vec<_>>()
    };
    assert_eq!(
        outcome(&spaced),
        outcome(&doubled),
        "every other packet finds the link busy and draws nothing"
    );
}

#[test]
fn a_lost_packet_has_used_the_link() {
    let config = byte_per_microsecond(Duration::from_micros(3)).with_loss(LossModel::Bernoulli(1.0));
    let (mut network, route) = single(config, 1);
    let log = run(&mut network, &[(at(0), packet(route, 100, 0)), (at(0), packet(route, 100, 1))]);
    assert_eq!(log.iter().map(|(time, _)| *time).collect::<Vec<_>>(), [at(103), at(203)]);
    let stats = network.link_stats(LinkId::new(0), at(203));
    assert_eq!(stats.busy, Duration::from_micros(200));
    assert_eq!(
        (stats.offered, stats.forwarded, stats.dropped_loss, stats.bytes_forwarded.get()),
        (2, 0, 2, 0)
    );
}
