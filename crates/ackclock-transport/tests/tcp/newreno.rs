//! NewReno's own rules (RFC 6582); its recoveries from one to four losses are in `classic_losses.rs`.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;
use ackclock_units::Time;

use crate::common::{End, Pair, Scene, What, assert_lines, data, ms};

fn play(recovery: Recovery, lost: &[u64]) -> Pair {
    let pair = Scene::file(recovery, 60).lose(lost.iter().map(|segment| data(*segment))).play();
    pair.assert_complete(60);
    pair
}

/// Step 2 of section 3.2, to the letter: a fast retransmit needs an acknowledgment of *more* than what the last
/// episode covered. Recovery from the loss of 14 covers 28. Of what is sent during it, a loss of 29 leaves the
/// acknowledgment at just that, and has to wait for the timer; a loss of 30 does not.
#[test]
fn it_is_careful() {
    let pair = play(Recovery::NewReno, &[14, 29]);
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Timeout]);
    assert_eq!(pair.again()[..2], [(1000, 14), (2200, 29)]);
    let pair = play(Recovery::NewReno, &[14, 30]);
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss]);
    assert_eq!(pair.again(), [(1000, 14), (1200, 30)]);
}

/// Step 3, "impatient": only the first partial acknowledgment, at 1200 ms, sets the timer anew. With a loss for
/// every round trip it expires a second later, in the middle of recovery, and slow start does the rest.
#[test]
fn it_is_impatient() {
    let holes = [14, 16, 18, 20, 22, 24, 26, 28];
    let pair = play(Recovery::NewReno, &holes);
    assert_lines(
        &pair.moments(1000, 2400),
        "1000: 14'
         1200: 16'
         1400: 18' 29
         1600: 20' 30 31
         1800: 22' 32 33 34
         2000: 24' 35 36 37 38
         2200: 26' 39 40 41 42 43 26''
         2400: 28' 29'",
    );
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Timeout]);
    // SACK needs no timer for that: every acknowledgment of new data sets it anew.
    assert_eq!(play(Recovery::Sack, &holes).signals(), [Signal::Loss]);
}

/// However many duplicates come, they do not make room for more than the window when the receive window opens.
#[test]
fn duplicates_of_nothing_make_no_burst() {
    let scene = Scene::file(Recovery::NewReno, 60).set(|settings| {
        settings.initial_window = 20.0;
        settings.receive_window = 20_000;
    });
    let mut pair = scene.lose([data(0), data(15)]).open();
    pair.run_until(Time::ZERO + ms(250));
    let duplicate = pair.log.iter().rfind(|entry| matches!(entry.what, What::Ack(_))).unwrap().segment;
    for _ in 0..100 {
        pair.deliver(End::Sender, &duplicate);
    }
    pair.run_until(Time::MAX);
    pair.assert_complete(60);
    // Nor do they deliver anything: all but the first of 20 can have arrived.
    let delivered: f64 = pair.acks().iter().map(|ack| ack.delivered).sum();
    assert!(delivered < 80.0, "{delivered} of 60");
    // 15 segments' worth of the receive window open with the partial acknowledgment; ten packets are allowed.
    assert_eq!(pair.data().iter().filter(|(at, _)| *at == 400).count(), 10);
}

/// Two losses of different windows are two signals.
#[test]
fn the_next_window_may_lose_again() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Reno, Recovery::Tahoe] {
        let pair = play(recovery, &[14, 45]);
        assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss], "{recovery}");
        assert_eq!(pair.again().len(), 2, "{recovery}");
    }
}

/// The window neither grows during recovery nor at its end (step 3, full acknowledgment, option 2), and then by one
/// packet in a round trip.
#[test]
fn the_window_rests_until_recovery_is_over() {
    // NewReno takes two round trips for two losses, SACK one.
    for (recovery, end) in [(Recovery::NewReno, 1400), (Recovery::Sack, 1200)] {
        let pair = play(recovery, &[14, 24]);
        let windows: Vec<(u64, f64)> =
            pair.log.iter().map(|entry| (entry.at.as_nanos() / 1_000_000, entry.cwnd)).collect();
        let at_loss = windows.iter().position(|(at, cwnd)| *at == 1000 && *cwnd < 14.0).unwrap();
        let during = windows[at_loss..].iter().take_while(|(at, _)| *at < end);
        assert!(during.clone().all(|(_, cwnd)| (*cwnd - 7.5).abs() < 1e-9), "{recovery}");
        assert!(during.count() > 10, "{recovery}");
        // The acknowledgment that ends recovery is the first of that moment, and sends at least one segment.
        let at_end = windows.iter().find(|(at, _)| *at == end).unwrap().1;
        assert!((at_end - 7.5).abs() < 1e-9, "{recovery}: {at_end}");
        let later = windows.iter().rfind(|(at, _)| *at == end + 200).unwrap().1;
        assert!((8.5..9.5).contains(&later), "{recovery}: {later} one and two round trips later");
    }
}
