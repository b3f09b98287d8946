//! FAST: consequences that mesonet, 5.2.3 and 5.4.4 state.

use crate::common::{BASE_RTT, Path, assert_near};
use crate::link::Link;
use ackclock_congestion::Start;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_units::Duration;

/// The path of mesonet's 5.4: 21 packets per millisecond and 42 ms, so 882 packets.
fn mesonet(specs: &[&str], initial_window: f64) -> Link {
    let start = Start { initial_window, initial_ssthresh: 2.0, ..Start::default() };
    Link::new(21_000.0, Duration::from_millis(42), specs, start)
}

/// "how many packets a flow attempts to keep queued": alpha of each.
#[test]
fn alpha_packets_of_each_flow_wait_in_equilibrium() {
    for alpha in [8.0, 80.0, 200.0] {
        for flows in 1..=3_u8 {
            let spec = format!("fast(alpha={alpha})");
            let mut link = mesonet(&vec![spec.as_str(); usize::from(flows)], 100.0);
            link.run(Duration::from_secs(20));
            let expected = alpha * f64::from(flows);
            assert_near(link.queue(), expected, 0.02 * expected);
            let share = (link.bdp() + expected) / f64::from(flows);
            for flow in &link.flows {
                assert_near(flow.controller.decision().cwnd, share, 0.02 * share);
            }
        }
    }
}

/// 5.2.3: "an equilibrium cwnd that does not change during the life of a flow".
#[test]
fn the_equilibrium_rests() {
    let mut link = mesonet(&["fast(alpha=80)", "fast(alpha=80)"], 100.0);
    link.run(Duration::from_secs(20));
    assert_near(link.mean_queue(Duration::from_secs(10)), 160.0, 3.0);
    let settled = link.flows[0].controller.decision().cwnd;
    for _ in 0..100 {
        link.run(Duration::from_millis(100));
        assert_near(link.flows[0].controller.decision().cwnd, settled, 0.01 * settled);
    }
}

/// 5.4.4: "where FAST converges to equilibrium the convergence time is very fast". Standard TCP needs a round trip per
/// packet: more than half a minute for the same window.
#[test]
fn the_path_is_full_within_two_seconds() {
    let mut link = mesonet(&["fast"], 10.0);
    link.run(Duration::from_secs(2));
    assert_near(link.queue(), 200.0, 10.0);
    let mut standard = mesonet(&["reno"], 10.0);
    standard.run(Duration::from_secs(30));
    assert!(standard.flows[0].controller.decision().cwnd < link.bdp());
}

/// Windows that differ come together while the queue stays.
#[test]
fn shares_become_equal() {
    let mut link = mesonet(&["fast(alpha=80)", "fast(alpha=80)"], 100.0);
    let unequal = Start { initial_window: 800.0, initial_ssthresh: 2.0, ..Start::default() };
    link.flows[0].controller = "fast(alpha=80)".parse::<ControllerSpec>().unwrap().build(&unequal);
    link.run(Duration::from_secs(20));
    let cwnd = |index: usize| link.flows[index].controller.decision().cwnd;
    assert_near(cwnd(0) / cwnd(1), 1.0, 0.05);
}

/// (21): "prevent the new target cwnd from being more than twice the current cwnd".
#[test]
fn the_window_at_most_doubles_per_period() {
    let mut link = mesonet(&["fast"], 2.0);
    let mut before = 2.0;
    for _ in 0..20 {
        link.run(Duration::from_millis(20));
        let cwnd = link.flows[0].controller.decision().cwnd;
        assert!(cwnd <= 2.0 * before + 1e-9, "{before} grew to {cwnd}");
        before = cwnd;
    }
    assert!(before > 40.0, "and it does grow: {before}");
}

/// 5.4.4: without room for what is to be queued, cwnd oscillates; with room nothing is lost.
#[test]
fn a_buffer_below_alpha_keeps_it_from_equilibrium() {
    let losses = |spec: &str| {
        let mut link = mesonet(&[spec, spec], 100.0);
        link.buffer = 176.0;
        link.run(Duration::from_secs(30));
        link.flows.iter().map(|flow| flow.losses).sum::<u32>()
    };
    assert_eq!(losses("fast(alpha=80)"), 0, "160 packets fit into 176");
    assert!(losses("fast(alpha=200)") > 20, "400 do not");
}

/// (22): throughput below 1250 packets per second takes alpha from 200 to 20 and from there to 8, one step in 200 s.
#[test]
fn tuning_takes_alpha_down_one_step_per_period() {
    let start = Start { initial_window: 10.0, initial_ssthresh: 2.0, ..Start::default() };
    let mut link = Link::new(500.0, Duration::from_millis(50), &["fast(tuning=1)"], start);
    for (seconds, alpha) in [(199, 200.0), (2, 20.0), (198, 20.0), (3, 8.0), (400, 8.0)] {
        link.run(Duration::from_secs(seconds));
        assert_near(link.flows[0].gauge("fast_alpha_packets"), alpha, 0.0);
    }
    assert_near(link.queue(), 8.0, 0.5);
}

/// And back up from 1500 and from 15 000 packets per second on; in between, 20 is kept.
#[test]
fn tuning_takes_alpha_up_again() {
    let start = Start { initial_window: 10.0, initial_ssthresh: 2.0, ..Start::default() };
    let spec = "fast(tuning=1,tuning_period=5,alpha=8)";
    let mut link = Link::new(1300.0, Duration::from_millis(20), &[spec], start);
    for (capacity, alpha) in [
        (1300.0, 8.0),
        (2000.0, 20.0),
        (14_000.0, 20.0),
        (20_000.0, 200.0),
        (13_000.0, 200.0),
        (10_000.0, 20.0),
    ] {
        link.capacity = capacity;
        link.run(Duration::from_secs(6));
        assert_near(link.flows[0].gauge("fast_alpha_packets"), alpha, 0.0);
        link.run(Duration::from_millis(4_500));
        assert_near(link.flows[0].gauge("fast_alpha_packets"), alpha, 0.0);
    }
}

#[test]
fn without_tuning_alpha_stays() {
    let start = Start { initial_window: 10.0, initial_ssthresh: 2.0, ..Start::default() };
    let mut link = Link::new(500.0, Duration::from_millis(50), &["fast(tuning_period=1)"], start);
    link.run(Duration::from_secs(10));
    assert_near(link.flows[0].gauge("fast_alpha_packets"), 200.0, 0.0);
}

/// (19): half, and no growth before the target is computed again.
#[test]
fn a_loss_halves_the_window_and_the_target() {
    let mut path = Path::wide("fast", 100.0, 2.0);
    path.rounds(5);
    let before = path.cwnd();
    path.loss();
    assert_near(path.cwnd(), before / 2.0, 1e-9);
    path.ack(1.0, Some(BASE_RTT), true);
    assert_near(path.cwnd(), before / 2.0, 1e-9);
    path.rounds(2);
    assert!(path.cwnd() > before / 2.0);
}

/// A delay that takes the window below the threshold leads back to slow start: a packet for every acknowledgment.
#[test]
fn a_cut_below_the_threshold_reenters_slow_start() {
    let mut path = Path::wide("fast(alpha=10)", 600.0, 500.0);
    path.rounds(3);
    let before = path.cwnd();
    assert!(before > 500.0);
    path.srtt = BASE_RTT * 3;
    path.round_of(|_| Some(BASE_RTT * 3), false);
    assert_near(path.cwnd(), before, 0.0);
    path.ack(1.0, Some(BASE_RTT * 3), true);
    let cut = path.cwnd();
    assert_near(cut, 0.5 * before + 0.5 * (before / 3.0 + 10.0), 1e-6);
    path.ack(1.0, Some(BASE_RTT * 3), true);
    assert_near(path.cwnd(), cut + 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 500.0, 0.0);
}
