//! Explicit congestion notification: agreed on, marked, echoed and heeded (RFC 3168, 6.1), and echoed packet by packet
//! (RFC 8257, 3.2) or counted (RFC 9768).

use std::sync::Arc;

use ackclock_congestion::Signal;
use ackclock_transport::tcp::{EcnMode, Receiver, Recovery, Settings};
use ackclock_transport::{Flags, Header};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::common::{ALL, End, MSS, Pair, Scene, What, data, ms};

fn classic(packets: u64) -> Scene {
    Scene::file(Recovery::Sack, packets).set(|settings| settings.ecn = EcnMode::Classic)
}

fn has(entry: &crate::common::Entry, flags: Flags) -> bool {
    entry.segment.flags.has(flags)
}

/// The packets from one end that carry a flag.
fn with(pair: &Pair, from: End, flag: Flags) -> Vec<What> {
    let flagged = pair.log.iter().filter(|entry| entry.from == from && has(entry, flag));
    flagged.map(|entry| entry.what).collect()
}

/// 6.1.1: a SYN with both flags, a SYN-ACK with ECE alone; then data is sent as ECN-capable.
#[test]
fn it_is_agreed_on_by_the_handshake() {
    let scene = Scene::connection(Recovery::NewReno, 3).set(|settings| settings.ecn = EcnMode::Classic);
    let pair = scene.play();
    let flags: Vec<Flags> = pair.log[..2].iter().map(|entry| entry.segment.flags).collect();
    let both = Flags::SYN.with(Flags::ECE).with(Flags::CWR);
    assert_eq!(flags, [both, Flags::SYN.with(Flags::ACK).with(Flags::ECE)]);
    assert_eq!(with(&pair, End::Sender, Flags::ECT), [data(0), data(1), data(2)]);
    assert_eq!(with(&pair, End::Receiver, Flags::ECT), [], "pure ACKs are not ECN-capable (6.1.4)");
}

/// RFC 8257, 3.6: SYN and SYN-ACK are treated like data.
#[test]
fn in_a_data_centre_syns_are_capable_too() {
    let scene = Scene::connection(Recovery::NewReno, 1).set(|settings| settings.ecn = EcnMode::DataCentre);
    let pair = scene.mark([What::Syn(1), What::SynAck(1)]).play();
    assert_eq!(with(&pair, End::Sender, Flags::ECT), [What::Syn(1), data(0)]);
    assert_eq!(with(&pair, End::Receiver, Flags::ECT), [What::SynAck(1)]);
    assert_eq!(pair.signals(), [], "and their marks ignored");
}

/// Whoever does not answer in kind is not asked again: nothing is sent as capable.
#[test]
fn one_end_alone_agrees_on_nothing() {
    let mut pair =
        Scene::connection(Recovery::NewReno, 3).set(|settings| settings.ecn = EcnMode::DataCentre).open();
    pair.receiver = Receiver::new(Arc::new(Settings { mss: MSS as u16, ..Settings::default() }), false);
    pair.run_until(Time::MAX);
    assert_eq!(with(&pair, End::Sender, Flags::ECT), [What::Syn(1)]);
    let scene = Scene::connection(Recovery::NewReno, 3);
    let mut pair = scene.open();
    let settings = Settings { mss: MSS as u16, ecn: EcnMode::Classic, ..Settings::default() };
    pair.receiver = Receiver::new(Arc::new(settings), false);
    pair.run_until(Time::MAX);
    assert_eq!(with(&pair, End::Receiver, Flags::ECE), []);
    pair.assert_complete(3);
}

/// 6.1.2 and 6.1.3: a mark in the window of eight halves it once; acknowledgments echo it until the first new data
/// after that says so. Packets 7 to 14 are the window; 9 is marked.
#[test]
fn a_mark_halves_the_window_once_and_is_echoed_until_that_is_known() {
    let pair = classic(40).mark([data(9)]).play();
    pair.assert_complete(40);
    assert_eq!(pair.signals(), [Signal::Ecn]);
    assert_eq!(pair.again(), [], "nothing was lost");
    // The acknowledgment of 9 comes at 800 ms, with 15 and more in the network by then.
    let before = pair.log.iter().rfind(|entry| entry.at < Time::ZERO + ms(800)).unwrap().cwnd;
    let after = pair.log.iter().find(|entry| entry.at > Time::ZERO + ms(800)).unwrap().cwnd;
    assert!(before >= 7.0 && after <= 6.0, "{before} {after}");
    let reduced = with(&pair, End::Sender, Flags::CWR);
    assert_eq!(reduced.len(), 1, "{reduced:?}");
    let What::Data(first, 1) = reduced[0] else { panic!("{reduced:?}") };
    let echoed: Vec<u64> = pair
        .log
        .iter()
        .filter(|entry| entry.from == End::Receiver && has(entry, Flags::ECE))
        .map(|entry| entry.segment.acknowledgment / MSS)
        .collect();
    assert_eq!(echoed, (10..=first).collect::<Vec<_>>(), "from the marked packet to the one before {first}");
}

/// However many packets of a window are marked, it is one reduction: "no more than once per window of data".
#[test]
fn a_window_of_marks_is_one_signal() {
    let marks = |from: u64, to: u64| (from..=to).map(data);
    assert_eq!(classic(60).mark(marks(7, 14)).play().signals(), [Signal::Ecn]);
    for recovery in ALL {
        for ecn in [EcnMode::Classic, EcnMode::DataCentre, EcnMode::Accurate] {
            let scene = Scene::file(recovery, 300).set(|settings| {
                settings.ecn = ecn;
                settings.initial_window = 10.0;
                settings.initial_ssthresh = 10.0;
            });
            let pair = scene.mark([data(40), data(200)]).play();
            assert_eq!(pair.signals(), [Signal::Ecn, Signal::Ecn], "{recovery}");
        }
    }
}

/// Floyd (1994): a window with a loss and a mark is reduced once.
#[test]
fn a_loss_and_a_mark_of_one_window_are_one_signal() {
    for (lost, marked, signal) in [(20, 16, Signal::Ecn), (16, 20, Signal::Loss), (16, 17, Signal::Ecn)] {
        let pair = classic(60).lose([data(lost)]).mark([data(marked)]).play();
        pair.assert_complete(60);
        assert_eq!(pair.signals()[..1], [signal]);
        assert_eq!(pair.signals().len(), 1, "{lost} lost, {marked} marked: {:?}", pair.signals());
    }
}

/// 6.1.5: retransmissions are not ECN-capable. A reduction for a loss is told as well (6.1.2), with new data.
#[test]
fn a_retransmission_is_neither_capable_nor_news() {
    let pair = classic(60).lose([data(14)]).play();
    let again = pair.log.iter().find(|entry| entry.what == What::Data(14, 2)).unwrap();
    assert!(!has(again, Flags::ECT) && !has(again, Flags::CWR));
    let told = with(&pair, End::Sender, Flags::CWR);
    assert!(matches!(told[..], [What::Data(29.., 1)]), "{told:?}");
}

/// RFC 8257, 3.2, figure 1: while the marks of packets do not change, one acknowledgment for every two packets. Where
/// they change, at once: one for what waited, with the echo from before, and one for the packet that brought the news.
#[test]
fn accurate_echoes_follow_the_marks() {
    let settings = Settings {
        mss: MSS as u16,
        handshake: false,
        segments_per_ack: 2,
        ecn: EcnMode::DataCentre,
        ..Settings::default()
    };
    let mut receiver = Receiver::new(Arc::new(settings), false);
    let mut answers = |number: u64, marked: bool| -> Vec<(u64, bool)> {
        let now = Time::ZERO + ms(number);
        let flags = Flags::ACK.with(Flags::ECT);
        let flags = if marked { flags.with(Flags::CE) } else { flags };
        let (sequence, length) = (1 + number * MSS, MSS as u16);
        receiver.on_segment(now, &Header { sequence, length, flags, acknowledgment: 1, ..Header::default() });
        let sent = std::iter::from_fn(|| receiver.poll_transmit(now));
        sent.map(|reply| (reply.acknowledgment / MSS, reply.flags.has(Flags::ECE))).collect()
    };
    assert_eq!(answers(0, false), []);
    assert_eq!(answers(1, false), [(2, false)]);
    assert_eq!(answers(2, true), [(3, true)], "nothing waited");
    assert_eq!(answers(3, true), []);
    assert_eq!(answers(4, false), [(4, true), (5, false)]);
    assert_eq!(answers(5, false), []);
    assert_eq!(answers(6, true), [(6, false), (7, true)]);
    assert_eq!(answers(7, true), []);
    assert_eq!(answers(8, true), [(9, true)]);
}

/// RFC 9768, 3.1.1 and 3.1.2: the SYN has AE, CWR and ECE; the SYN-ACK says that the SYN came as not ECN-capable. Then the field
/// is five and counts the marks: 9, 10 and 11 make it 0.
#[test]
fn the_field_is_agreed_on_and_counts() {
    let scene = Scene::connection(Recovery::Sack, 20).set(|settings| settings.ecn = EcnMode::Accurate);
    let pair = scene.mark([data(9), data(10), data(11)]).play();
    assert_eq!((pair.log[0].segment.ace(), pair.log[1].segment.ace()), (7, 2));
    assert_eq!(with(&pair, End::Sender, Flags::ECT).len(), 20, "data and no SYN");
    let acks = pair.log.iter().filter(|entry| matches!(entry.what, What::Ack(_)));
    let fields: Vec<(u64, u8)> =
        acks.map(|entry| (entry.segment.acknowledgment / MSS, entry.segment.ace())).collect();
    let expected: Vec<(u64, u8)> =
        (1..=19).map(|number| (number, ((5 + number.clamp(9, 12) - 9) % 8) as u8)).collect();
    assert_eq!(fields, expected);
    let marked: Vec<f64> =
        pair.acks().iter().map(|ack| ack.ce_marked).filter(|marked| *marked > 0.0).collect();
    assert_eq!(marked, [1.0; 3]);
    assert_eq!(pair.signals().len(), 1);
}

/// Acknowledgments are lost: the next one reports the marks of all of them.
#[test]
fn the_counter_survives_lost_acknowledgments() {
    let scene = Scene::file(Recovery::Sack, 40).set(|settings| {
        settings.ecn = EcnMode::Accurate;
        settings.initial_window = 6.0;
        settings.initial_ssthresh = 6.0;
    });
    let pair = scene.mark((0..5).map(data)).lose((1..5).map(What::Ack)).play();
    let marked: Vec<u32> = pair.acks().iter().map(|ack| ack.ce_marked as u32).collect();
    assert_eq!(marked[0], 5);
    pair.assert_complete(40);
}

/// Of ten packets that one acknowledgment covers, two marks by the field may be ten.
#[test]
fn a_cycle_is_feared_where_acknowledgments_are_few() {
    let scene = Scene::file(Recovery::Sack, 40).set(|settings| {
        settings.ecn = EcnMode::Accurate;
        settings.initial_window = 10.0;
        settings.initial_ssthresh = 10.0;
    });
    let pair = scene.mark([data(3), data(4)]).lose((1..10).map(What::Ack)).play();
    assert_eq!(pair.acks()[0].ce_marked as u32, 10);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whichever packets are marked, and however acknowledgments are delayed, the controller is told of as many as
    /// were: the sum over acknowledgments is exact.
    #[test]
    fn every_mark_is_counted_once(
        marked in prop::collection::btree_set(0..100_u64, 0..100),
        segments_per_ack in 1..5_u32,
        handshake in any::<bool>(),
        counted in any::<bool>(),
    ) {
        let pair = Scene::file(Recovery::Sack, 100)
            .set(|settings| {
                settings.ecn = if counted { EcnMode::Accurate } else { EcnMode::DataCentre };
                settings.segments_per_ack = segments_per_ack;
                settings.handshake = handshake;
            })
            .mark(marked.iter().map(|packet| data(*packet)))
            .play();
        pair.assert_complete(100);
        let counted: f64 = pair.acks().iter().map(|ack| ack.ce_marked).sum();
        prop_assert!((counted - marked.len() as f64).abs() < 0.5, "{} of {}", counted, marked.len());
    }
}
