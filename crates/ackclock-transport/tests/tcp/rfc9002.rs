//! QUIC's loss detection: the times and windows that RFC 9002 states, worked out by hand.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;

use crate::common::{Scene, What, assert_lines, data, ms};

/// A connection with a handshake, so that a round-trip time is known: 200 ms, with a variation of 100 ms. Data begins at
/// 200 ms. Acknowledgments are not delayed, so that a probe timeout is 200 + 4 * 100 ms.
fn scene(packets: u64) -> Scene {
    Scene::connection(Recovery::Rfc9002, packets).set(|settings| {
        settings.initial_window = 4.0;
        settings.timestamps = false;
    })
}

/// Section 6.2.1: probe timeouts 600, 1200 and 2400 ms after the packet before. Nothing is lost by them (6.2), and the window
/// stays. There is no new data, so the first segment is the probe (6.2.4). The acknowledgment of the third shows what was lost:
/// the window falls once, from 4 to 2. Packets from 200 to 2000 ms are lost, which is not more than three times 600 ms.
#[test]
fn probe_timeouts_double_and_reduce_nothing() {
    let pair = scene(4).lose([data(0), data(1), data(2), data(3), What::Data(0, 2), What::Data(0, 3)]).play();
    pair.assert_complete(4);
    assert_lines(
        &pair.moments(0, 9999),
        "200: 0x 1x 2x 3x
         800: 0'x
         2000: 0''x
         4400: 0'''
         4600: 1' 2'
         4800: 3'",
    );
    assert_eq!(pair.signals(), [Signal::Loss]);
    assert_eq!(pair.counters().timeouts, 0);
}

/// Section 7.6: with one probe more lost, packets of 4200 ms are. The window is two packets: of five only two leave at once.
#[test]
fn losses_for_long_are_persistent_congestion() {
    let lost = (0..8).map(data).chain((2..5).map(|copy| What::Data(0, copy)));
    let pair = scene(8).set(|settings| settings.initial_window = 8.0).lose(lost).play();
    pair.assert_complete(8);
    assert_lines(
        &pair.moments(0, 10_000),
        "200: 0x 1x 2x 3x 4x 5x 6x 7x
         800: 0'x
         2000: 0''x
         4400: 0'''x
         9200: 0''''
         9400: 1' 2'
         9600: 3' 4' 5'
         9800: 6' 7'",
    );
    assert_eq!(pair.signals(), [Signal::Loss]);
    assert_eq!(pair.counters().timeouts, 1, "counted as persistent congestion");
}

/// Section 6.1.1: the acknowledgment of a packet sent three later shows a loss at once.
#[test]
fn the_third_packet_after_a_loss_shows_it() {
    let pair = scene(4).lose([data(0)]).play();
    assert_eq!(pair.again(), [(400, 0)], "{}", pair.moments(0, 9999));
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// Section 6.1.2: with two only, 9/8 of the round-trip time after it was sent.
#[test]
fn with_fewer_after_it_a_loss_takes_nine_eighths_of_a_round_trip() {
    let pair = scene(3).lose([data(0)]).play();
    assert_eq!(pair.again(), [(425, 0)], "{}", pair.moments(0, 9999));
    // A packet that is late by less is not lost.
    let late = scene(3).hold(data(0), ms(24)).play();
    assert!(late.again().is_empty() && late.signals().is_empty(), "{}", late.moments(0, 9999));
    let later = scene(3).hold(data(0), ms(26)).play();
    assert_eq!(later.again(), [(425, 0)]);
}

/// Appendix A.10 judges a retransmission as any packet, by its own number. Packet 0 is lost twice: at 400 ms it is sent again,
/// and new packets follow. The acknowledgment of the third of them, at 600 ms, shows the second loss; without a reduction, since the retransmission was sent when the recovery period began, and not after (B.5).
#[test]
fn a_lost_retransmission_is_found_by_its_number() {
    let scene = scene(40).set(|settings| settings.initial_window = 16.0);
    let pair = scene.lose([data(0), What::Data(0, 2)]).play();
    pair.assert_complete(40);
    assert_eq!(pair.again()[..2], [(400, 0), (600, 0)], "{}", pair.moments(0, 1000));
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// Section 6.2.4: a timeout sends two probes of new data, beyond the window. Their acknowledgments show the losses before.
#[test]
fn probes_are_new_data_where_there_is_some() {
    let pair = scene(40).lose((0..4).map(data)).play();
    pair.assert_complete(40);
    assert_eq!(pair.data()[4..6], [(800, 4), (800, 5)], "{}", pair.moments(0, 2000));
    assert_eq!(pair.again().len(), 4, "{}", pair.moments(0, 2000));
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// Section 6.2: a timeout without a loss. Data takes 500 ms longer, once: the probe at 800 ms is needless. The
/// acknowledgments that come at 900 ms, sooner than those of the probe can, are of the packets before.
#[test]
fn a_needless_probe_changes_no_window() {
    let mut scene = scene(4);
    for segment in 0..4 {
        scene = scene.hold(data(segment), ms(500));
    }
    let pair = scene.play();
    pair.assert_complete(4);
    assert_eq!(pair.again(), [(800, 0)]);
    assert!(pair.signals().is_empty());
}

/// Section 6.2.1: the longest delay of an acknowledgment is a part of the timeout.
#[test]
fn a_timeout_waits_for_a_delayed_acknowledgment() {
    let delayed = scene(4).set(|settings| {
        settings.segments_per_ack = 2;
        settings.ack_delay = ms(25);
    });
    let pair = delayed.lose((0..4).map(data)).play();
    assert_eq!(pair.again()[0], (825, 0), "{}", pair.moments(0, 9999));
}

/// Eight packets leave at 200 ms, and packet 0 takes this much longer. At 400 ms the acknowledgments of those after it show a loss, and 0
/// is sent again. What comes within 200 ms, the round-trip time, is of the packet and not of its repetition.
fn reordered(late: u64, adapts: bool) -> Scene {
    let scene = scene(60).hold(data(0), ms(late));
    scene.set(|settings| {
        settings.initial_window = 8.0;
        settings.adapt_loss_thresholds = adapts;
    })
}

/// Section 6.1, by hand: the episode is undone with the acknowledgment of packet 0 at 430 ms, when packet 7 is the largest that was
/// acknowledged: the window is eight packets again. From then on a packet is lost with the eighth after it, and a quarter of a round-trip time
/// late, since 230 ms are more than 9/8 of 200. Another packet that is 40 ms late, behind five, is not lost.
#[test]
fn a_packet_that_was_declared_lost_and_arrives_raises_the_thresholds() {
    let pair = reordered(30, true).hold(data(30), ms(40)).play();
    pair.assert_complete(60);
    assert_eq!(pair.again(), [(400, 0)], "{}", pair.moments(0, 3000));
    assert_eq!((pair.signals(), pair.counters().spurious), (vec![Signal::Loss], 1));
    assert_eq!(pair.sender.info().reord_seen, 1);
    let without = reordered(30, false).hold(data(30), ms(40)).play();
    assert_eq!(without.again().len(), 2, "{}", without.moments(0, 3000));
    assert_eq!((without.signals().len(), without.counters().spurious), (2, 0));
    assert_eq!(without.sender.info().reord_seen, 2, "it is noticed all the same");
}

/// An episode with a packet that was lost indeed, 1, is not undone, whether it is known before or after.
#[test]
fn an_episode_with_a_loss_is_not_undone() {
    let pair = reordered(30, true).lose([data(1)]).play();
    pair.assert_complete(60);
    assert_eq!((pair.counters().spurious, pair.sender.info().reord_seen), (0, 1));
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// After a round-trip time the acknowledgment may be of the repetition, so that it counts as that: nothing is concluded.
#[test]
fn after_a_round_trip_a_repetition_counts_as_the_packet_that_arrived() {
    let pair = reordered(250, true).play();
    pair.assert_complete(60);
    assert_eq!((pair.counters().spurious, pair.sender.info().reord_seen), (0, 0));
}
