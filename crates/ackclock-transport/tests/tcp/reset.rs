//! The end of a connection by a reset (RFC 9293, 3.10.5 and 3.10.7), against timelines made by hand.

use std::sync::Arc;

use ackclock_transport::tcp::{Receiver, Recovery, Settings};
use ackclock_transport::{Flags, Header, Segment};
use ackclock_units::Time;

use crate::common::{MSS, Pair, Scene, What, data, ms};

fn aborting(packets: u64) -> Scene {
    Scene::connection(Recovery::Sack, packets).set(|settings| {
        settings.initial_window = 8.0;
        settings.close_by_reset = true;
    })
}

/// The resets of the sender: the millisecond and the sequence number.
fn resets(pair: &Pair) -> Vec<(u64, u64)> {
    let resets = pair.log.iter().filter(|entry| entry.what == What::Reset);
    resets.map(|entry| (entry.at.as_nanos() / 1_000_000, entry.segment.sequence)).collect()
}

/// Eight segments leave at 200 ms; the application aborts at 350 ms, before they are acknowledged.
#[test]
fn a_stop_gives_up_what_is_outstanding() {
    let pair = aborting(40).stop(Time::ZERO + ms(350)).play();
    assert_eq!(resets(&pair)[0], (350, 8001), "with SND.NXT");
    assert_eq!(pair.receiver.finished_at(), Some(Time::ZERO + ms(450)));
    assert_eq!(pair.receiver.delivered_bytes(), 8 * MSS);
    assert_eq!(pair.sender.closed_at(), Some(Time::ZERO + ms(350)));
    assert_eq!((pair.sender.finished_at(), pair.sender.is_open()), (None, false));
    assert_eq!((pair.sender.incidents().resets, pair.sender.in_flight()), (1, 0));
    assert_eq!((pair.sender.next_wake(), pair.receiver.next_wake()), (Time::MAX, Time::MAX));
    // Acknowledgments that find no connection are answered with the number that is expected (3.10.7.1).
    let answers: Vec<(u64, u64)> = (1..=8).map(|segment| (400, segment * MSS + 1)).collect();
    assert_eq!(resets(&pair)[1..], answers);
}

/// The last segment of the eight is held up by half a second, and comes after the reset.
#[test]
fn what_arrives_after_a_reset_is_not_delivered() {
    let pair = aborting(40).stop(Time::ZERO + ms(350)).hold(data(7), ms(500)).play();
    assert_eq!(
        pair.receiver.finished_at(),
        Some(Time::ZERO + ms(500)),
        "by the answer to the seventh acknowledgment"
    );
    assert_eq!(pair.receiver.delivered_bytes(), 7 * MSS);
    assert_eq!(pair.receiver.delivered_segments(), 7);
    let last = pair.log.last().unwrap();
    assert!(last.segment.flags.has(Flags::RST) && last.at == Time::ZERO + ms(800), "{}", pair.table());
}

#[test]
fn a_file_ends_with_a_reset_in_place_of_a_fin() {
    let pair = aborting(3).play();
    assert_eq!(resets(&pair), [(400, 3001)]);
    assert!(pair.log.iter().all(|entry| !entry.segment.flags.has(Flags::FIN)), "{}", pair.table());
    assert_eq!(pair.sender.finished_at(), Some(Time::ZERO + ms(400)), "all is acknowledged");
    assert_eq!(pair.receiver.delivered_bytes(), 3 * MSS);
    assert_eq!((pair.sender.next_wake(), pair.receiver.next_wake()), (Time::MAX, Time::MAX));
}

/// RFC 9293, 3.10.7.4, first for the RST bit: the exact number resets, another within the window is answered with an acknowledgment,
/// one below with nothing.
#[test]
fn a_reset_needs_the_number_expected() {
    let settings = Settings { mss: MSS as u16, handshake: false, segments_per_ack: 1, ..Settings::default() };
    let mut receiver = Receiver::new(Arc::new(settings), true);
    let take = |receiver: &mut Receiver, sequence: u64, length: u16, flags: Flags| {
        let header = Header { sequence, length, flags, acknowledgment: 1, ..Header::default() };
        receiver.on_segment(Time::ZERO, &header);
        receiver.poll_transmit(Time::ZERO).map(Segment::from)
    };
    take(&mut receiver, 1, MSS as u16, Flags::ACK);
    take(&mut receiver, 2001, MSS as u16, Flags::ACK);
    assert_eq!(take(&mut receiver, 1, 0, Flags::RST), None);
    let challenge = take(&mut receiver, 3001, 0, Flags::RST).unwrap();
    assert_eq!((challenge.acknowledgment, challenge.flags), (1001, Flags::ACK));
    assert_eq!(take(&mut receiver, 1001, 0, Flags::RST), None);
    let answer = take(&mut receiver, 1001, MSS as u16, Flags::ACK).unwrap();
    assert_eq!((answer.sequence, answer.flags), (1, Flags::RST));
    assert_eq!(receiver.delivered_bytes(), MSS);
}
