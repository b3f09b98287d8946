//! Burst TCP: consequences that burst-tcp, 4.2 and 4.3, and its annex state.

mod common;

use ackclock_congestion::Event;
use ackclock_congestion::Signal;
use common::{BASE_RTT, Path, assert_near};

const EXACT: f64 = 1e-9;

/// Whole packets of the window in each round trip, from one packet on.
fn windows(spec: &str, rounds: u32) -> Vec<u32> {
    let mut path = Path::wide(spec, 1.0, f64::INFINITY);
    let mut sizes = vec![1];
    for _ in 0..rounds {
        path.round();
        sizes.push(path.cwnd() as u32);
    }
    sizes
}

/// Round trips that a transfer of this many packets takes.
fn transfer(spec: &str, packets: u32) -> usize {
    let sizes = windows(spec, 12);
    let sent = |rounds: usize| sizes[..rounds].iter().sum::<u32>();
    (1..sizes.len()).find(|&rounds| sent(rounds) >= packets).expect("long enough")
}

/// 4.3: in the first round trip the window of B-TCP(2) and B-TCP(3) becomes "greater than 10 packets", that of B-TCP(4)
/// does not; with f = 4 all thresholds but 32 "initiated the flow with a burst of 10 or more packets".
#[test]
fn the_first_burst_is_what_the_paper_chose_its_parameters_by() {
    for name in ["btcp", "btcp-annex"] {
        let first = |f: u32, mice: u32| windows(&format!("{name}(f={f},mice={mice})"), 1)[1];
        assert_eq!([2, 3, 4, 5, 8].map(|f| first(f, 32)), [16, 11, 8, 7, 4], "{name}");
        assert_eq!([32, 40, 56, 80].map(|mice| first(4, mice)), [8, 10, 14, 20], "{name}");
    }
}

/// 4.3.1: of 64 packets over a path that never queues, with f from 2 to 16: "from B-TCP(7) and on the transfer time
/// achieved is greater than that of NewReno", for 7, 8 and 9 by "only one second, i.e., one RTT".
#[test]
fn the_smoothing_out_factor_decides_how_long_a_transfer_takes() {
    let standard = transfer("standard", 64);
    assert_eq!(standard, 7);
    for name in ["btcp", "btcp-annex"] {
        for f in 2..=16 {
            let taken = transfer(&format!("{name}(f={f})"), 64);
            match f {
                2..=5 => assert!(taken < standard, "{name}({f}): {taken}"),
                6 => assert_eq!(taken, standard, "{name}"),
                7..=9 => assert_eq!(taken, standard + 1, "{name}({f})"),
                _ => assert!(taken > standard + 1, "{name}({f}): {taken}"),
            }
        }
    }
}

/// 4.2 says so of B-TCP(4) and slow start "two RTTs earlier", for the behaviour "at flow level". Acknowledgment by
/// acknowledgment it is one, since each step is computed from the window that the ones before it have enlarged.
#[test]
fn a_transfer_of_64_packets_ends_a_round_trip_earlier_with_f_4() {
    assert_eq!(transfer("btcp(f=4)", 64) + 1, transfer("standard", 64));
}

/// 4.2: neither f passes 32 packets, where the network's room of the example ends.
#[test]
fn it_avoids_the_burst_that_slow_start_loses_packets_by() {
    for f in [4, 8] {
        let spec = format!("btcp(f={f})");
        let sizes = windows(&spec, 8);
        assert!(sizes[..transfer(&spec, 64)].iter().all(|&size| size <= 32), "{sizes:?}");
    }
    assert!(windows("standard", 6)[6] > 32);
}

/// 4.2: "large steps" first, "and reduces these steps gradually afterwards", and a packet per round trip at the least.
#[test]
fn steps_shrink_as_the_window_grows() {
    let mut path = Path::wide("btcp(f=4)", 1.0, f64::INFINITY);
    let mut steps = vec![];
    while path.cwnd() < 31.0 {
        let before = path.cwnd();
        path.round();
        steps.push(path.cwnd() - before);
    }
    assert_near(steps[0], 7.0, EXACT);
    assert!(steps.windows(2).all(|pair| pair[1] <= pair[0] + 0.1), "{steps:?}");
    assert!(steps.iter().all(|&step| step > 0.9), "{steps:?}");
}

/// "behaving as the standard Reno TCP, from this point on", and not again as before if the window falls.
#[test]
fn it_ends_at_the_mice_threshold() {
    let mut path = Path::wide("btcp", 31.9, f64::INFINITY);
    while path.cwnd() < 32.0 {
        path.ack(1.0, None, true);
    }
    assert_near(path.cwnd(), 32.0, 1.0 / 31.0);
    let reached = path.cwnd();
    path.round();
    assert_near(path.cwnd(), reached + 32.0, EXACT);
    path.controller.on_event(&Event::IdleRestart { restart_window: 4.0 });
    path.round();
    assert_near(path.cwnd(), 8.0, EXACT);
}

/// "it remains with this value forever".
#[test]
fn it_ends_with_the_first_loss_for_ever() {
    for spec in ["btcp", "btcp-annex"] {
        for (signal, restart) in [(Signal::Loss, true), (Signal::Timeout, true)] {
            let mut path = Path::wide(spec, 40.0, f64::INFINITY);
            path.congestion(signal, restart);
            path.rounds(4);
            assert_near(path.cwnd(), 16.0, EXACT);
        }
    }
}

/// The two differ once less than `f` packets are left: there the pseudo-code adds one per round trip, the annex one per
/// acknowledgment.
#[test]
fn the_annex_leaps_where_the_pseudo_code_creeps() {
    let after = |spec: &str| {
        let mut path = Path::wide(spec, 25.0, f64::INFINITY);
        (0..5).for_each(|_| path.ack(1.0, None, true));
        path.cwnd()
    };
    assert_near(after("btcp"), 25.2, 0.01);
    assert_near(after("btcp-annex"), 30.0, EXACT);
    // Above f packets of room they are the same rule.
    let rounds = |name: &str| windows(&format!("{name}(f=4,mice=80)"), 6);
    assert_eq!(rounds("btcp"), rounds("btcp-annex"));
}

/// Without losses the annex stays at the mice threshold.
#[test]
fn the_annex_rests_at_the_mice_threshold() {
    for f in [2, 4, 8, 16] {
        let mut path = Path::wide(&format!("btcp-annex(f={f})"), 1.0, f64::INFINITY);
        path.rounds(20);
        for _ in 0..50 {
            path.round();
            assert_near(path.cwnd(), 32.0, 1.1);
        }
    }
}

/// Table II's medians, from whichever initial window: a burst of 8 packets with f = 4, of 4 with f = 8, when the
/// handshake has ended. 5.2.2: "After the first packet arrival of each flow, B-TCP(4) increases its congestion window
/// to 8 packets".
#[test]
fn a_head_start_begins_with_the_second_window() {
    for name in ["btcp", "btcp-annex"] {
        for initial in [1.0, 2.0, 10.0] {
            let first =
                |f: u32| Path::wide(&format!("{name}(f={f},head_start=1)"), initial, f64::INFINITY).cwnd();
            assert_near(first(4), 8.0, EXACT);
            assert_near(first(8), 4.0, EXACT);
        }
        assert_near(Path::wide(&format!("{name}(f=4)"), 2.0, f64::INFINITY).cwnd(), 2.0, EXACT);
        assert_near(Path::wide(&format!("{name}(f=4,head_start=1)"), 2.0, 5.0).cwnd(), 5.0, EXACT);
    }
}

/// From there on everything is as if the window of one packet had been sent and acknowledged.
#[test]
fn a_head_start_is_one_round_trip() {
    for f in [2, 4, 8, 16] {
        let ahead = windows(&format!("btcp(f={f},head_start=1)"), 10);
        assert_eq!(ahead[1..10], windows(&format!("btcp(f={f})"), 10)[2..], "{f}");
    }
}

/// 6.2, "in substitution to the Slow Start algorithm after a retransmission timeout": the steps are those of the beginning.
#[test]
fn for_life_a_timeout_is_followed_by_the_first_steps() {
    for (spec, second) in [("btcp(f=4,life=1)", 8.0), ("btcp(f=4)", 2.0)] {
        let mut path = Path::wide(spec, 1.0, f64::INFINITY);
        path.rounds(6);
        path.timeout();
        assert_near(path.cwnd(), 1.0, EXACT);
        path.round();
        assert_near(path.cwnd(), second, EXACT);
    }
}

/// 6.2, "or a reception of three duplicated ACKs [..] to compensate for the steep reductions": back to the window before.
#[test]
fn for_life_the_window_before_a_loss_is_soon_reached_again() {
    let rounds = |spec: &str| {
        let mut path = Path::wide(spec, 64.0, 64.0);
        path.round();
        let before = path.cwnd().floor();
        path.loss();
        (1..100)
            .find(|_| {
                path.round();
                path.cwnd() >= before
            })
            .expect("reached")
    };
    let (standard, life) = (rounds("btcp(f=4)"), rounds("btcp(f=4,life=1)"));
    assert!(life * 2 < standard, "{life} and {standard} round trips");
}

/// 6.2, parameters by rate estimates: packets that queue make the steps smaller.
#[test]
fn estimated_steps_shrink_as_packets_queue() {
    let grown = |spec: &str| {
        let mut path = Path::new(spec, 4.0, f64::INFINITY, 8.0);
        path.rounds(4);
        path.cwnd()
    };
    assert!(grown("btcp(f=2,estimate=1)") < grown("btcp(f=2)"));
}

/// The same, parameters "by a rate estimation scheme like the one employed by [..] Westwood": the threshold is the product of
/// the rate of acknowledgments and the least round-trip time where that is above `mice`, so that B-TCP goes on up to there.
#[test]
fn an_estimated_threshold_reaches_what_the_path_holds() {
    const PIPE: f64 = 20.0;
    // Acknowledgments come as the bottleneck spaces them: a twentieth of a round trip apart.
    let spacing = BASE_RTT.mul_f64(1.0 / PIPE);
    let ends_at = |spec: &str| {
        let mut path = Path::wide(spec, 4.0, f64::INFINITY);
        for _ in 0..400 {
            let before = path.cwnd();
            path.advance(spacing);
            path.ack(1.0, None, true);
            // A packet per acknowledgment, no more and no less, is slow start's: B-TCP is over.
            if (path.cwnd() - before - 1.0).abs() < EXACT {
                return before;
            }
        }
        panic!("{spec} goes on for ever");
    };
    assert_near(ends_at("btcp(f=4,mice=8)"), 8.0, 0.5);
    assert_near(ends_at("btcp(f=4,mice=8,estimate=1)"), PIPE, 0.5);
    assert_near(ends_at("btcp(f=4,mice=32,estimate=1)"), 32.0, 0.5);
}
