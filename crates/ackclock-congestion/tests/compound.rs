//! Compound TCP: consequences that Tan, Song, Zhang and Sridharan (2006) and mesonet, 5.2.2, state.

use crate::common::stream::mean_window;
use crate::common::{BASE_RTT, Path, assert_near};
use crate::link::Link;
use ackclock_congestion::Event;
use ackclock_congestion::Start;
use ackclock_units::Duration;

const EXACT: f64 = 1e-9;

fn dwnd(path: &Path) -> f64 {
    let mut found = f64::NAN;
    path.controller.observe(&mut |name, value| {
        if name == "compound_dwnd_packets" {
            found = value;
        }
    });
    found
}

fn mesonet(specs: &[&str], initial_window: f64) -> Link {
    let start = Start { initial_window, initial_ssthresh: 2.0, ..Start::default() };
    Link::new(21_000.0, Duration::from_millis(42), specs, start)
}

/// "CTCP tends to cause the send window to oscillate by exponentially increasing the dwnd when the estimated number of
/// packets queued for a flow falls below a threshold (30) and then linearly decreasing".
#[test]
fn the_queue_swings_about_gamma_while_there_is_a_delay_window() {
    for gamma in [30.0, 60.0] {
        let spec = format!("compound(gamma={gamma})");
        let mut link = mesonet(&[&spec], 100.0);
        link.run(Duration::from_secs(5));
        let mean = link.mean_queue(Duration::from_secs(10));
        assert!(link.flows[0].gauge("compound_dwnd_packets") > 100.0);
        // One increase from just below gamma adds alpha 900^k, 29 packets.
        assert!(mean > gamma - 10.0 && mean < gamma + 30.0, "a mean of {mean} packets with gamma {gamma}");
    }
}

/// dwnd shrinks by the growth of cwnd, so the sum is constant until dwnd is zero; then it is standard TCP's.
#[test]
fn the_delay_window_makes_room_until_it_is_used_up() {
    let mut link = mesonet(&["compound"], 100.0);
    link.run(Duration::from_secs(5));
    let before = link.flows[0].gauge("compound_dwnd_packets");
    link.run(Duration::from_secs(10));
    assert!(link.flows[0].gauge("compound_dwnd_packets") < before - 100.0);
    link.run(Duration::from_secs(60));
    assert_near(link.flows[0].gauge("compound_dwnd_packets"), 0.0, 0.0);
    let (cwnd, seconds) = (link.flows[0].controller.decision().cwnd, 20);
    let rtt = cwnd / link.capacity;
    link.run(Duration::from_secs(seconds));
    let packets = seconds as f64 / rtt;
    assert_near(link.flows[0].controller.decision().cwnd - cwnd, packets, 0.1 * packets);
}

/// dW/dt = alpha W^k on an empty path: W^(1-k) grows by (1-k) alpha per round trip.
#[test]
fn on_an_empty_path_both_windows_grow_as_a_binomial() {
    for (k, from, rounds) in [(0.8_f64, 100.0_f64, 30_u32), (0.75, 100.0, 40), (0.8, 1000.0, 15)] {
        let mut path = Path::wide(&format!("compound(k={k})"), from, 2.0);
        path.rounds(1 + rounds);
        let expected = (from.powf(1.0 - k) + (1.0 - k) * 0.125 * f64::from(rounds)).powf(1.0 / (1.0 - k));
        assert_near(path.cwnd(), expected, 0.05 * expected);
    }
}

/// A window ten times as large grows by 10^k times as much.
#[test]
fn the_increase_scales_with_the_power_k() {
    let increase = |window: f64| {
        let mut path = Path::wide("compound", window, 2.0);
        path.rounds(2);
        let before = path.cwnd();
        path.round();
        (path.cwnd() - before, before)
    };
    let ((small, from), (large, to)) = (increase(300.0), increase(3000.0));
    assert_near((large / small).ln() / (to / from).ln(), 0.8, 0.01);
}

/// (13): below 41 packets standard TCP, and no delay window.
#[test]
fn below_the_low_window_it_is_standard_tcp() {
    let mut compound = Path::wide("compound", 20.0, 2.0);
    let mut standard = Path::wide("reno", 20.0, 2.0);
    for _ in 0..20 {
        compound.round();
        standard.round();
        assert_near(compound.cwnd(), standard.cwnd(), EXACT);
        assert_near(dwnd(&compound), 0.0, 0.0);
    }
    compound.rounds(5);
    standard.rounds(5);
    assert!(compound.cwnd() > standard.cwnd() + 2.0, "from 41 packets on it is not");
    let mut early = Path::wide("compound(low_window=30)", 35.0, 2.0);
    early.rounds(3);
    assert!(dwnd(&early) > 0.0);
}

#[test]
fn slow_start_has_no_delay_window() {
    let mut compound = Path::wide("compound", 2.0, f64::INFINITY);
    let mut standard = Path::wide("", 2.0, f64::INFINITY);
    for _ in 0..10 {
        compound.round();
        standard.round();
        assert_near(compound.cwnd(), standard.cwnd(), EXACT);
        assert_near(dwnd(&compound), 0.0, 0.0);
    }
}

/// Both together keep 1 - beta, cwnd half as in standard TCP, and avoidance goes on.
#[test]
fn a_loss_keeps_half_of_both_windows() {
    for (beta, kept) in [(0.5, 0.5), (0.3, 0.7)] {
        let mut path = Path::wide(&format!("compound(beta={beta})"), 100.0, 2.0);
        path.rounds(10);
        let (win, delay) = (path.cwnd(), dwnd(&path));
        assert!(delay > 40.0);
        path.loss();
        assert_near(path.cwnd(), kept * win, 1e-6);
        assert_near(path.controller.ssthresh(), (win - delay) / 2.0, 1e-6);
        assert_near(path.cwnd() - dwnd(&path), (win - delay) / 2.0, 1e-6);
    }
}

/// Whatever beta is, cwnd alone keeps half: never less than standard TCP's part.
#[test]
fn the_delay_window_does_not_fall_below_zero() {
    let mut path = Path::wide("compound(beta=0.9)", 100.0, 2.0);
    path.rounds(10);
    let cwnd = path.cwnd() - dwnd(&path);
    path.loss();
    assert_near(dwnd(&path), 0.0, 0.0);
    assert_near(path.cwnd(), cwnd / 2.0, 1e-6);
}

/// Where gamma packets and more wait for long, the delay window goes, by zeta per packet and round trip, and a packet
/// per round trip is left.
#[test]
fn a_queue_that_stays_leaves_standard_tcp() {
    let mut path = Path::wide("compound", 100.0, 2.0);
    path.rounds(10);
    let queueing = BASE_RTT * 2;
    path.round_of(|_| Some(queueing), true);
    let (before, win) = (dwnd(&path), path.cwnd());
    path.round_of(|_| Some(queueing), true);
    // Half of the window waits.
    assert_near(before - dwnd(&path), 0.1 * win / 2.0, 0.1);
    for _ in 0..100 {
        path.round_of(|_| Some(queueing), true);
    }
    assert_near(dwnd(&path), 0.0, 0.0);
    let before = path.cwnd();
    for _ in 0..10 {
        path.round_of(|_| Some(queueing), true);
    }
    assert_near(path.cwnd() - before, 10.0, 0.2);
}

#[test]
fn a_timeout_leaves_no_delay_window() {
    let mut path = Path::wide("compound", 100.0, 2.0);
    path.rounds(10);
    let cwnd = path.cwnd() - dwnd(&path);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 0.0);
    assert_near(path.controller.ssthresh(), cwnd / 2.0, 1e-6);
}

#[test]
fn after_idleness_the_restart_window_is_all() {
    let mut path = Path::wide("compound", 100.0, 2.0);
    path.rounds(10);
    let mut same = path.controller.clone();
    path.controller.on_event(&Event::IdleRestart { restart_window: 10.0 });
    assert_near(path.cwnd(), 10.0, 0.0);
    same.on_event(&Event::NotValidated { window: 50.0, ssthresh: 60.0 });
    assert_near(same.decision().cwnd, 50.0, 0.0);
}

#[test]
fn an_undo_brings_both_windows_back() {
    let mut path = Path::wide("compound", 100.0, 2.0);
    path.rounds(10);
    let (win, delay) = (path.cwnd(), dwnd(&path));
    path.loss();
    path.controller.on_event(&Event::Spurious);
    assert_near(path.cwnd(), win, EXACT);
    assert_near(dwnd(&path), delay, 0.0);
}

/// Two flows come to equal windows once losses synchronise them, as those of standard TCP do.
#[test]
fn two_flows_share_the_path() {
    let mut link = mesonet(&["compound", "compound"], 100.0);
    link.buffer = 176.0;
    link.run(Duration::from_secs(100));
    let cwnd = |index: usize| link.flows[index].controller.decision().cwnd;
    assert_near(cwnd(0) / cwnd(1), 1.0, 0.1);
    assert!(link.flows[0].losses > 0);
}

/// The mean window where every 1/p-th packet is lost and nothing queues.
///
/// With `dW/dt = alpha W^k` per round trip, from `(1 - beta) W` to `W`, a cycle has
/// `W^(2-k) (1 - (1-beta)^(2-k)) / (alpha (2-k))` packets, which are 1/p, in
/// `W^(1-k) (1 - (1-beta)^(1-k)) / (alpha (1-k))` round trips (Tan et al.). So the mean falls as
/// `p^(-1/(2-k))`: by 0.8 with the k of 0.75 in the paper, by 0.833 with mesonet's 0.8, as HSTCP's by 0.835.
fn published_mean(p: f64, k: f64, beta: f64) -> f64 {
    let (alpha, kept) = (0.125, 1.0 - beta);
    let top = (alpha * (2.0 - k) / (p * (1.0 - kept.powf(2.0 - k)))).powf(1.0 / (2.0 - k));
    let cycle = top.powf(1.0 - k) * (1.0 - kept.powf(1.0 - k)) / (alpha * (1.0 - k));
    1.0 / (p * cycle)
}

/// The result is less by up to half a step: the window grows once per round trip, by the share `alpha W^(k-1)`, and
/// what grows by g at a time takes ln (1 + g), not g. The bound was settled with first ratios in view, 0.988 to 0.997.
#[test]
fn the_response_function_is_the_published_one() {
    for (k, beta) in [(0.8, 0.5), (0.75, 0.5), (0.8, 0.3)] {
        let spec = format!("compound(k={k},beta={beta})");
        let (rare, often) = (1_000_000_u32, 10_000_u32);
        let [high, low] = [rare, often].map(|spacing| {
            let expected = published_mean(1.0 / f64::from(spacing), k, beta);
            let found = mean_window(&spec, spacing, BASE_RTT, expected, 40, 20);
            assert_near(found / expected, 1.0, 0.125 * expected.powf(k - 1.0) / 2.0);
            found
        });
        assert_near((high / low).ln() / f64::from(rare / often).ln(), 1.0 / (2.0 - k), 0.005);
    }
}
