use ackclock_transport::Transfer;
use ackclock_transport::tfrc::Settings;
use ackclock_units::{Duration, Rate, Time};

use super::path::{Fate, Path, RTT, always, seconds};

#[test]
fn a_packet_per_second_until_feedback_comes() {
    let mut path = Path::lossless();
    path.answers = Box::new(|_| false);
    path.run_until(seconds(1.5));
    assert_eq!(path.departures, [Time::ZERO, seconds(1.0)]);
}

#[test]
fn the_initial_rate_is_that_of_rfc_3390() {
    // Four packets, but not more than 4380 bytes, and two in any case.
    for (size, bytes) in [(500, 2000.0), (1095, 4380.0), (1460, 4380.0), (2190, 4380.0), (4000, 8000.0)] {
        let mut path = Path::new(Settings { segment_size: size, ..Settings::default() }, always());
        path.run_until(seconds(0.1));
        let per_rtt = path.sender.rate() * 0.1;
        assert!((per_rtt / bytes - 1.0).abs() < 1e-9, "{per_rtt} bytes per round trip with {size}");
    }
}

#[test]
fn slow_start_doubles_at_most_once_per_round_trip() {
    let mut path = Path::lossless();
    path.run_until(seconds(2.0));
    let start = path.rates.iter().position(|(at, _)| *at >= seconds(0.1)).unwrap();
    let rates = &path.rates[start..];
    for (at, rate) in rates {
        let before = rates.iter().rev().find(|(earlier, _)| *earlier + RTT < *at);
        if let Some((_, before)) = before {
            assert!(*rate <= 2.0 * before + 1e-6, "{before} to {rate} packets/s in a round trip up to {at}");
        }
    }
    assert!(path.packets_per_rtt() > 100.0, "it does grow: {}", path.packets_per_rtt());
}

#[test]
fn slow_start_goes_to_twice_what_arrives_and_not_further() {
    let mut path = Path::lossless();
    // 100 packets of payload per second; the queue before the bottleneck has no limit.
    path.bottleneck = Some(Rate::from_bits_per_second(100 * 1460 * 8));
    path.run_until(seconds(3.0));
    let highest = path.rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    // One packet more or less falls into a round-trip time, of which there are ten in a second at first.
    assert!((180.0..=225.0).contains(&highest), "{highest} packets/s");
}

#[test]
fn silence_halves_the_rate_after_four_round_trips() {
    let mut path = Path::lossless();
    path.answers = Box::new(|now| now < seconds(1.02));
    path.run_until(seconds(1.2));
    let (last_answer, before) =
        (path.reports.iter().rfind(|(at, _)| *at < seconds(1.02)).unwrap().0, path.sender.rate());
    let expiry = last_answer + RTT / 2 + RTT * 4;
    path.run_until(expiry + Duration::from_micros(10));
    assert!((path.sender.rate() / before - 0.5).abs() < 1e-9, "{} after {before}", path.sender.rate());
    let halved_at = path.rates.iter().find(|(at, rate)| *at > seconds(1.2) && *rate < 0.6 * before / 1460.0);
    assert!(halved_at.unwrap().0.since(expiry) < Duration::from_micros(1), "{halved_at:?}, not {expiry}");
    path.run_until(expiry + RTT * 4 + Duration::from_micros(10));
    assert!((path.sender.rate() / before - 0.25).abs() < 1e-9);
}

#[test]
fn silence_after_losses_halves_the_rate_too() {
    let mut path = Path::lossless();
    path.fate = Box::new(|number, _| if number % 100 == 99 { Fate::Lost } else { Fate::Arrives });
    path.answers = Box::new(|now| now < seconds(30.0));
    path.run_until(seconds(30.1));
    let before = path.sender.rate();
    path.run_until(seconds(30.9));
    let counted = path.sender.counters(path.now).timeouts;
    assert!((1..=2).contains(&counted), "{counted} expiries");
    let expected = before / 2.0_f64.powi(counted.cast_signed());
    assert!((path.sender.rate() / expected - 1.0).abs() < 0.02, "{} after {before}", path.sender.rate());
}

#[test]
fn the_least_rate_is_a_packet_in_64_seconds() {
    let mut path = Path::lossless();
    path.answers = Box::new(|_| false);
    path.run_until(seconds(3000.0));
    let last = path.departures.windows(2).last().unwrap();
    assert_eq!(last[1].since(last[0]), Duration::from_secs(64));
}

#[test]
fn an_idle_sender_keeps_twice_its_initial_rate() {
    let mut path = Path::new(Settings::default(), Transfer { packets: Some(2000), ..always() });
    path.run_until(seconds(20.0));
    assert_eq!(path.departures.len(), 2000);
    let per_rtt = path.packets_per_rtt();
    // W_init is three packets here; halving stops below twice that (4.4).
    assert!((3.0..6.0).contains(&per_rtt), "{per_rtt} packets per round trip");
    assert_eq!(path.sender.next_wake(), Time::MAX, "nothing more can happen");
    path.sender.write(2);
    path.run_until(seconds(21.0));
    assert_eq!(path.departures.len(), 2002);
}

/// Offers a packet every `gap` from `from` to `to`.
fn trickle(path: &mut Path, from: f64, to: f64, gap: f64) {
    let mut at = from;
    while at < to {
        path.run_until(seconds(at));
        path.sender.write(1);
        at += gap;
    }
    path.run_until(seconds(to));
}

#[test]
fn a_sender_short_of_data_may_come_back_at_its_old_rate() {
    let mut path = Path::new(Settings::default(), Transfer { packets: Some(1500), ..always() });
    path.bottleneck = Some(Rate::from_bits_per_second(1000 * 1460 * 8));
    path.run_until(seconds(1.4));
    let before = path.sender.rate();
    trickle(&mut path, 1.4, 4.0, 0.05);
    assert!(
        path.sender.rate() >= before,
        "{} after {before}: the receive rates it had are kept",
        path.sender.rate()
    );
    assert_eq!(path.sender.counters(path.now).timeouts, 0);
}

#[test]
fn a_sender_short_of_data_does_not_grow_beyond_twice_what_it_sent() {
    // Ten packets per second are one per round-trip time: the initial rate, three times that, is all it gets.
    let mut path = Path::new(Settings::default(), Transfer { packets: Some(0), ..always() });
    trickle(&mut path, 0.0, 5.0, 0.1);
    assert!(path.packets_per_rtt() <= 3.0 + 1e-9, "{}", path.packets_per_rtt());
}

#[test]
fn a_loss_while_short_of_data_limits_the_rate_to_what_arrived() {
    let quiet = |with_loss: bool| {
        let mut path = Path::new(Settings::default(), Transfer { packets: Some(1500), ..always() });
        path.bottleneck = Some(Rate::from_bits_per_second(1000 * 1460 * 8));
        path.fate =
            Box::new(move |number, _| if with_loss && number == 1600 { Fate::Lost } else { Fate::Arrives });
        path.run_until(seconds(2.0));
        trickle(&mut path, 2.0, 6.0, 0.01);
        path.packets_per_rtt()
    };
    assert!(quiet(true) < 0.6 * quiet(false), "{} with a loss, {} without", quiet(true), quiet(false));
}

#[test]
fn a_coarse_clock_keeps_the_average_rate() {
    let tick = Duration::from_millis(10);
    let mut path = Path::new(Settings { granularity: tick, ..Settings::default() }, always());
    path.bottleneck = Some(Rate::from_bits_per_second(400 * 1460 * 8));
    path.fate = Box::new(|number, _| if number % 200 == 199 { Fate::Lost } else { Fate::Arrives });
    path.run_until(seconds(20.0));
    let rates: Vec<f64> =
        path.rates.iter().filter(|(at, _)| *at >= seconds(10.0)).map(|(_, rate)| *rate).collect();
    let sent = path.departures.iter().filter(|at| **at >= seconds(10.0)).count() as f64 / 10.0;
    let (least, most) = rates.iter().fold((f64::MAX, 0.0_f64), |(a, b), r| (a.min(*r), b.max(*r)));
    assert!(sent > 0.98 * least && sent < 1.02 * most, "{sent} packets/s, allowed {least} to {most}");
    let bursts = path.departures.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(bursts > 100, "several packets leave at one tick: {bursts}");
}

#[test]
fn oscillation_reduction_slows_down_while_a_queue_builds() {
    let settings = Settings { oscillation_reduction: true, ..Settings::default() };
    let mut path = Path::new(settings, always());
    path.bottleneck = Some(Rate::from_bits_per_second(100 * 1460 * 8));
    path.run_until(seconds(0.5));
    let mut slower = 0;
    for step in 0..100 {
        path.run_until(seconds(0.5 + 0.01 * f64::from(step)));
        slower += u32::from(path.sender.instant_rate() < 0.95 * path.sender.rate());
    }
    assert!(slower > 50, "{slower} of 100 samples");
}

#[test]
fn a_transfer_is_over_when_its_last_packet_is_reported_on_or_nothing_comes() {
    let finish = |lost: u64| {
        let mut path = Path::new(Settings::default(), Transfer { packets: Some(50), ..always() });
        path.fate = Box::new(move |number, _| if number >= lost { Fate::Lost } else { Fate::Arrives });
        path.run_until(seconds(10.0));
        path.sender.finished_at().expect("it ends").since(*path.departures.last().unwrap())
    };
    // The last packet's report comes within the time of feedback; without one the nofeedback timer ends the wait.
    assert!((RTT..=RTT * 2).contains(&finish(50)), "{}", finish(50));
    assert!((RTT..=RTT * 6).contains(&finish(40)), "{}", finish(40));
}

#[test]
fn the_schedule_stops_with_the_application() {
    let stop = seconds(1.0);
    let mut path = Path::new(Settings::default(), Transfer { stop, ..always() });
    path.run_until(seconds(5.0));
    assert!(path.departures.iter().all(|at| *at < stop));
    assert_eq!(path.sender.next_wake(), Time::MAX);
    let finish = path.sender.finished_at().expect("all that it sent is reported on");
    assert!((stop + RTT / 2..=stop + RTT * 2).contains(&finish), "{finish}");
}

/// Feedback that arrives after the stop finds a packet due before it, which is not sent any more.
#[test]
fn no_wake_is_in_the_past_after_the_stop() {
    for millis in 900..1000 {
        let stop = seconds(f64::from(millis) / 1000.0);
        let mut path = Path::new(Settings::default(), Transfer { stop, packets: Some(10_000), ..always() });
        path.bottleneck = Some(Rate::from_bits_per_second(10 * 1460 * 8));
        path.run_until(seconds(30.0));
        assert!(path.departures.iter().all(|at| *at < stop));
        assert!(path.sender.closed_at().is_some_and(|closed| closed > stop));
        assert_eq!(path.sender.finished_at(), None, "it was cut off");
    }
}
