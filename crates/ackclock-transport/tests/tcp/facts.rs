//! The facts passed to a controller with each acknowledgment, and its other calls.

use ackclock_congestion::Ack;
use ackclock_congestion::Event;
use ackclock_congestion::conformance::Call;
use ackclock_transport::tcp::Recovery;
use ackclock_units::Time;

use crate::common::{ALL, Pair, Scene, What, data, ms};
use crate::fixed::{Fixed, Wakeful};

fn millis(ack: &Ack) -> u64 {
    ack.now.as_nanos() / 1_000_000
}

/// Rounds are timed by packets: each ends with the acknowledgment of a packet sent after the last one ended.
#[test]
fn a_round_is_a_round_trip() {
    for recovery in ALL {
        let pair = Scene::file(recovery, 80).controller(Fixed::window(10.0)).play();
        for ack in pair.acks() {
            assert_eq!(ack.round, millis(&ack) / 200, "{recovery}");
        }
    }
}

/// The delivery rate is what the window or the pacing allows, whichever is less (draft-cheng-iccrg-delivery-rate-
/// estimation), from the second round trip on.
#[test]
fn the_delivery_rate_is_the_rate_of_sending() {
    let rates = |pair: &Pair| -> Vec<f64> {
        let late = pair.acks().into_iter().filter(|ack| millis(ack) > 600);
        late.map(|ack| ack.rate.map_or(0.0, |sample| sample.rate.0)).collect()
    };
    for recovery in ALL {
        let pair = Scene::file(recovery, 200).controller(Fixed::paced(100.0, 100.0)).play();
        assert!(rates(&pair).iter().all(|rate| (rate - 100.0).abs() < 1.0), "{recovery}: {:?}", rates(&pair));
        // Ten packets in 200 ms; a sample in the middle of their burst sees a part of the two bursts it lies in.
        let pair = Scene::file(recovery, 200).controller(Fixed::window(10.0)).play();
        let rates = rates(&pair);
        assert!(
            rates.iter().all(|rate| (50.0..100.0).contains(rate)) && rates.contains(&50.0),
            "{recovery}: {rates:?}"
        );
    }
}

/// A packet that is alone in the network is delivered at the rate of one per round trip: the silence before it does
/// not count.
#[test]
fn silence_is_no_low_rate() {
    let pair = Scene::file(Recovery::NewReno, 6).controller(Fixed::paced(10.0, 0.5)).play();
    for ack in pair.acks() {
        assert!((ack.rate.unwrap().rate.0 - 5.0).abs() < 1e-6, "{ack:?}");
    }
}

/// Samples are application-limited when the application had no more data: the first flight, which began with the application, up to
/// the packet that is sent when one is delivered (`C.app_limited` is then 1), and the packet sent again after the end.
#[test]
fn samples_at_the_beginning_and_end_of_a_file_are_marked() {
    let pair = Scene::file(Recovery::NewReno, 20).controller(Fixed::window(10.0)).lose([data(19)]).play();
    let marked = |(index, ack): (usize, &Ack)| ack.rate.unwrap().app_limited.then_some(index);
    let limited: Vec<usize> = pair.acks().iter().enumerate().filter_map(marked).collect();
    assert_eq!(limited, (0..=10).chain([19]).collect::<Vec<usize>>());
}

/// RFC 7323, 4.2: one round trip has the weight of one sample, though it brings ten, so the smoothed round-trip time
/// goes an eighth of the way from 200 ms to 400 ms.
#[test]
fn a_round_trip_weighs_as_one_sample() {
    let srtt = |recovery| {
        let mut scene = Scene::file(recovery, 100).set(|settings| settings.segments_per_ack = 2);
        for number in 40..60 {
            scene = scene.hold(data(number), ms(200));
        }
        let mut pair = scene.controller(Fixed::window(20.0)).open();
        pair.run_until(Time::ZERO + ms(801));
        assert_eq!(pair.acks().len(), 30);
        pair.sender.rtt().srtt()
    };
    let newreno = srtt(Recovery::NewReno);
    assert!(ms(220) < newreno && newreno < ms(230), "{newreno}");
    // Vegas' own estimate, which its retransmissions depend on, takes every sample in full.
    assert!(srtt(Recovery::Vegas) > ms(330));
}

/// In flight is what is left after the acknowledgment and before what it lets go.
#[test]
fn in_flight_is_what_is_left() {
    let pair = Scene::file(Recovery::NewReno, 10).controller(Fixed::window(10.0)).play();
    let left: Vec<f64> = pair.acks().iter().map(|ack| ack.in_flight).collect();
    assert_eq!(left, (0..10).rev().map(f64::from).collect::<Vec<_>>());
}

/// Where an acknowledgment is for several segments the sample is that of the last, which was not kept waiting.
#[test]
fn a_delayed_acknowledgment_measures_the_segment_that_was_not_delayed() {
    let scene = |timestamps| {
        let scene = Scene::file(Recovery::NewReno, 40).set(|settings| {
            settings.segments_per_ack = 2;
            settings.timestamps = timestamps;
        });
        scene.controller(Fixed::paced(40.0, 100.0)).play()
    };
    assert!(scene(false).acks().iter().all(|ack| ack.rtt == Some(ms(200))));
    // RFC 7323, 4.3: with timestamps it is that of the first, sent 10 ms before.
    assert!(scene(true).acks().iter().all(|ack| ack.rtt == Some(ms(210))));
}

/// Karn: no sample from the acknowledgment of what was sent twice.
#[test]
fn a_retransmission_measures_nothing() {
    for recovery in ALL {
        let pair = Scene::file(recovery, 60).lose([data(14), data(24)]).play();
        let samples = pair.acks();
        assert!(samples.iter().all(|ack| ack.rtt.is_none_or(|rtt| rtt == ms(200))), "{recovery}");
        assert!(samples.iter().any(|ack| ack.rtt.is_none()), "{recovery}");
        assert_eq!(
            pair.counters().rtt_samples,
            samples.iter().filter(|ack| ack.rtt.is_some()).count() as u64
        );
        assert_eq!((pair.counters().rtt_max, pair.sender.rtt().min_rtt()), (ms(200), ms(200)));
    }
}

/// The window over time, from the opening to the last acknowledgment.
#[test]
fn the_window_is_integrated_over_time() {
    let pair = Scene::connection(Recovery::NewReno, 20).controller(Fixed::window(5.0)).play();
    let open = pair.sender.finished_at().unwrap().since(pair.sender.established_at().unwrap());
    assert!((pair.counters().cwnd_seconds - 5.0 * open.as_secs_f64()).abs() < 1e-9);
    assert!(pair.acks().iter().all(|ack| ack.rate.is_none_or(|sample| sample.rate.0 > 0.0)));
}

/// A controller is woken when it wants to be, while the connection is open and has something to send.
#[test]
fn a_deadline_is_kept() {
    let wakeful = Wakeful { interval: ms(50), next: Time::ZERO + ms(50) };
    let pair = Scene::connection(Recovery::NewReno, 3).controller(wakeful).play();
    let deadlines = pair.record.calls().into_iter().filter_map(|call| match call {
        Call::Event(Event::Deadline { now }) => Some(now.as_nanos() / 1_000_000),
        _ => None,
    });
    // Open at 200 ms, where the first is overdue; done at 800 ms.
    assert_eq!(deadlines.collect::<Vec<_>>(), (200..800).step_by(50).collect::<Vec<_>>());
    assert_eq!(pair.times(|what| matches!(what, What::Data(..))), [200, 400, 600]);
    pair.assert_complete(3);
}

/// draft-ietf-ccwg-bbr-06, 4.1: what a sample says of the packet it is about, with ten packets per round trip.
#[test]
fn a_sample_knows_the_flight_it_was_sent_in() {
    let pair = Scene::file(Recovery::Sack, 100).controller(Fixed::window(10.0)).lose([data(40)]).play();
    let acks = pair.acks();
    let mut delivered = 0.0;
    for ack in &acks {
        delivered += ack.delivered;
        let Some(sample) = ack.rate else { continue };
        assert!((sample.prior_delivered + sample.delivered - delivered).abs() < 1e-9, "{ack:?}");
        assert!((sample.rate.0 * sample.interval.as_secs_f64() - sample.delivered).abs() < 1e-6, "{ack:?}");
        assert!(sample.interval >= ms(200) && (1.0..=10.0).contains(&sample.tx_in_flight), "{ack:?}");
    }
    // Packet 12 was the third of the second ten: eight of the first ten were still on their way when it left.
    let twelfth = acks[12].rate.unwrap();
    assert!((twelfth.tx_in_flight - 10.0).abs() < 1e-9 && (twelfth.prior_delivered - 3.0).abs() < 1e-9);

    // Packet 40 went out as the tenth in flight; its loss, and no other, is in the samples of the nine that were
    // in flight with it when it was found, and of those sent until then.
    let losses: Vec<_> = acks.iter().filter_map(|ack| ack.loss).collect();
    assert_eq!(losses.len(), 1);
    assert!((losses[0].lost - 1.0).abs() < 1e-9 && (losses[0].tx_in_flight - 10.0).abs() < 1e-9);
    let found = acks.iter().position(|ack| ack.loss.is_some()).unwrap();
    let lost = |ack: &Ack| ack.rate.unwrap().lost.round() as u32;
    assert!(acks[..found].iter().all(|ack| !ack.recovering && lost(ack) == 0));
    assert!(acks[found].recovering && lost(&acks[found]) == 1);
    assert!(!acks.last().unwrap().recovering && lost(acks.last().unwrap()) == 0);
}
