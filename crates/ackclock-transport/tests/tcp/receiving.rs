//! A receiver's acknowledgments, segment by segment: delayed acknowledgments (RFC 5681, 4.2; RFC 1122, 4.2.3.2),
//! selective acknowledgments (RFC 2018, 4), the timestamp it echoes (RFC 7323, 4.3).

use std::sync::Arc;

use ackclock_transport::tcp::{Receiver, Recovery, Settings};
use ackclock_transport::{Flags, Header, Segment, Timestamps};
use ackclock_units::Time;

use crate::common::{MSS, Scene, What, assert_lines, ms};

/// A receiver of an open connection, to whom segments are said and who is listened to.
struct Listener {
    receiver: Receiver,
    now: Time,
}

/// An acknowledgment in segments: the next one expected, and the blocks of those held above it.
type Answer = (u64, Vec<(u64, u64)>);

impl Listener {
    fn new(sack: bool, change: impl FnOnce(&mut Settings)) -> Listener {
        let mut settings = Settings { mss: MSS as u16, handshake: false, ..Settings::default() };
        change(&mut settings);
        Listener { receiver: Receiver::new(Arc::new(settings), sack), now: Time::ZERO }
    }

    /// The segment arrives a millisecond after the last.
    fn hear(&mut self, number: u64) -> Option<Answer> {
        self.hear_at(number, 0).map(|segment| answer(&segment))
    }

    /// The segment, sent at `value` of the sender's clock, arrives a millisecond after the last.
    fn hear_at(&mut self, number: u64, value: u32) -> Option<Segment> {
        self.now += ms(1);
        self.receiver.on_segment(self.now, &segment(number, value));
        self.receiver.poll_transmit(self.now).map(Segment::from)
    }

    /// The acknowledgments that its timer sends, with their times.
    fn wait(&mut self) -> (Time, Answer) {
        let at = self.receiver.next_wake();
        self.receiver.on_timer(at);
        (at, answer(&self.receiver.poll_transmit(at).unwrap().into()))
    }

    fn is_silent(&self) -> bool {
        self.receiver.next_wake() == Time::MAX
    }
}

fn segment(number: u64, value: u32) -> Header {
    Header {
        sequence: 1 + number * MSS,
        length: MSS as u16,
        flags: Flags::ACK,
        acknowledgment: 1,
        timestamps: Timestamps { value, echo: 0 },
        ..Header::default()
    }
}

fn answer(segment: &Segment) -> Answer {
    let number = |sequence: u64| (sequence - 1) / MSS;
    let blocks = segment.sack.iter(segment.acknowledgment);
    (number(segment.acknowledgment), blocks.map(|(start, end)| (number(start), number(end))).collect())
}

#[test]
fn every_second_segment_is_acknowledged() {
    let mut listener = Listener::new(false, |_| {});
    let answers: Vec<Option<Answer>> = (0..6).map(|number| listener.hear(number)).collect();
    let expected = [None, Some((2, vec![])), None, Some((4, vec![])), None, Some((6, vec![]))];
    assert_eq!(answers, expected);
    assert!(listener.is_silent());
}

#[test]
fn the_count_is_a_setting() {
    let mut listener = Listener::new(false, |settings| settings.segments_per_ack = 3);
    let answered: Vec<bool> = (0..6).map(|number| listener.hear(number).is_some()).collect();
    assert_eq!(answered, [false, false, true, false, false, true]);
    let mut listener = Listener::new(false, |settings| settings.segments_per_ack = 1);
    assert!((0..6).all(|number| listener.hear(number).is_some()), "not delayed at all");
}

/// The delay counts from the first segment that is not acknowledged.
#[test]
fn a_lone_segment_is_acknowledged_in_time() {
    let mut listener = Listener::new(false, |settings| settings.segments_per_ack = 3);
    assert_eq!((listener.hear(0), listener.hear(1)), (None, None));
    assert_eq!(listener.wait(), (Time::ZERO + ms(201), (2, vec![])));
    assert!(listener.is_silent());
    let mut listener = Listener::new(false, |settings| settings.ack_delay = ms(40));
    assert_eq!(listener.hear(0), None);
    assert_eq!(listener.wait().0, Time::ZERO + ms(41));
}

/// Linux, `tcp_event_data_recv`: the first 16 acknowledgments are not delayed, and 16 after a pause longer than the timeout, which is a
/// second before there is a round trip. Without a pause, every second segment is acknowledged.
#[test]
fn quick_acknowledgments_come_first_and_after_a_pause() {
    let mut listener = Listener::new(false, |settings| settings.quick_acks = 16);
    let answered = |listener: &mut Listener, numbers: std::ops::Range<u64>| -> Vec<bool> {
        numbers.map(|number| listener.hear(number).is_some()).collect()
    };
    assert_eq!(answered(&mut listener, 0..16), [true; 16]);
    assert_eq!(answered(&mut listener, 16..20), [false, true, false, true]);
    listener.now += ms(990);
    assert_eq!(answered(&mut listener, 20..22), [false, true]);
    listener.now += ms(1000);
    assert_eq!(answered(&mut listener, 22..38), [true; 16]);
    assert_eq!(answered(&mut listener, 38..40), [false, true]);
    // `tcp_data_queue`: data that arrives again begins 16 more, of which its own acknowledgment is the first. That of data from before the
    // latest acknowledgment is none of them (`tcp_send_dupack`).
    assert!(listener.hear(39).is_some());
    assert_eq!(answered(&mut listener, 40..55), [true; 15]);
    assert_eq!(answered(&mut listener, 55..57), [false, true]);
    assert!(listener.hear(3).is_some());
    assert_eq!(answered(&mut listener, 57..73), [true; 16]);
    assert_eq!(answered(&mut listener, 73..75), [false, true]);
}

/// `tcp_incr_quickack`: half of the segments that the window has room for, and two at least.
#[test]
fn small_windows_have_fewer_quick_acknowledgments() {
    for (window, quick) in [(20 * MSS, 10), (MSS, 2)] {
        let mut listener = Listener::new(false, |settings| {
            (settings.quick_acks, settings.receive_window) = (16, window as u32);
        });
        let answered: Vec<bool> = (0..quick + 2).map(|number| listener.hear(number).is_some()).collect();
        assert_eq!(answered.iter().filter(|answered| **answered).count() as u64, quick + 1);
        assert!(!answered[quick as usize]);
    }
}

/// RFC 5681, 4.2: at once when a segment is out of order, and when it fills all or part of a gap; RFC 9293, 3.10.7.4:
/// and when it was received before.
#[test]
fn an_acknowledgment_is_not_delayed_when_something_is_missing() {
    let mut listener = Listener::new(false, |_| {});
    assert_eq!(listener.hear(0), None);
    assert_eq!(listener.hear(2), Some((1, vec![])), "it acknowledges the segment before, too");
    assert!(listener.is_silent(), "whose timer is off");
    assert_eq!(listener.hear(4), Some((1, vec![])));
    assert_eq!(listener.hear(1), Some((3, vec![])), "a gap is filled");
    assert_eq!(listener.hear(3), Some((5, vec![])), "the other");
    assert_eq!(listener.hear(5), None, "in order again");
    assert_eq!(listener.hear(2), Some((6, vec![])), "long received");
    assert_eq!(listener.hear(5), Some((6, vec![])));
}

#[test]
fn what_arrives_twice_is_delivered_once() {
    let mut listener = Listener::new(true, |_| {});
    for number in [0, 2, 2, 4, 4, 0, 1, 1, 2, 3, 3] {
        let _ = listener.hear(number);
    }
    assert_eq!(listener.receiver.delivered_bytes(), 5 * MSS);
    assert_eq!(listener.receiver.delivered_segments(), 5);
}

#[test]
fn bytes_are_delivered_in_order_only() {
    let mut listener = Listener::new(true, |_| {});
    for (number, bytes) in [(0, 1), (3, 1), (1, 2), (2, 4)] {
        let _ = listener.hear(number);
        assert_eq!(listener.receiver.delivered_bytes(), bytes * MSS);
    }
}

/// RFC 2018, 4: the first block holds the segment that arrived just now, the others follow by how lately they were
/// reported.
#[test]
fn the_latest_block_comes_first() {
    let mut listener = Listener::new(true, |_| {});
    assert_eq!(listener.hear(1), Some((0, vec![(1, 2)])));
    assert_eq!(listener.hear(5), Some((0, vec![(5, 6), (1, 2)])));
    assert_eq!(listener.hear(3), Some((0, vec![(3, 4), (5, 6), (1, 2)])));
    assert_eq!(listener.hear(2), Some((0, vec![(1, 4), (5, 6)])), "two blocks have become one");
    assert_eq!(listener.hear(5), Some((0, vec![(5, 6), (1, 4)])), "received before, and yet the latest");
    assert_eq!(listener.hear(0), Some((4, vec![(5, 6)])));
    assert_eq!(listener.hear(4), Some((6, vec![])));
}

/// 40 bytes of options hold four blocks, three with timestamps.
#[test]
fn there_is_room_for_four_blocks_or_three() {
    for (timestamps, room) in [(false, 4), (true, 3)] {
        let mut listener = Listener::new(true, |settings| settings.timestamps = timestamps);
        let latest = [11, 9, 7, 5, 3, 1];
        for (count, number) in latest.iter().rev().enumerate() {
            let (_, blocks) = listener.hear(*number).unwrap();
            let reported = latest[5 - count..].iter().take(room).map(|number| (*number, *number + 1));
            assert_eq!(blocks, reported.collect::<Vec<_>>());
        }
    }
}

/// "As many distinct SACK blocks as possible": when a gap is closed there is room for blocks that had been crowded
/// out.
#[test]
fn a_block_that_was_crowded_out_comes_back() {
    let mut listener = Listener::new(true, |_| {});
    for number in [1, 3, 5, 7, 9, 11] {
        let _ = listener.hear(number);
    }
    assert_eq!(listener.hear(10).unwrap().1, [(9, 12), (7, 8), (5, 6), (1, 2)]);
    assert_eq!(listener.hear(0).unwrap(), (2, vec![(9, 12), (7, 8), (5, 6), (3, 4)]));
}

#[test]
fn without_sack_no_block_is_reported() {
    let mut listener = Listener::new(false, |_| {});
    assert_eq!(listener.hear(4), Some((0, vec![])));
}

fn with_timestamps(segments_per_ack: u32) -> Listener {
    Listener::new(false, |settings| {
        settings.timestamps = true;
        settings.segments_per_ack = segments_per_ack;
    })
}

/// RFC 7323, 4.3: "echo the `TSval` from the earliest unacknowledged segment", so that the round-trip time includes
/// the delay of the acknowledgment.
#[test]
fn a_delayed_acknowledgment_echoes_the_earliest_segment() {
    let mut listener = with_timestamps(2);
    assert_eq!(listener.hear_at(0, 100), None);
    assert_eq!(listener.hear_at(1, 101).unwrap().timestamps.echo, 100);
    assert_eq!(listener.hear_at(2, 102), None);
    assert_eq!(listener.hear_at(3, 103).unwrap().timestamps.echo, 102);
}

/// "The timestamp from the last segment that advanced the window"; the segment that fills a hole "has most recently
/// advanced" it, even if it was sent again.
#[test]
fn a_segment_out_of_order_is_not_echoed_and_one_that_fills_a_gap_is() {
    let mut listener = with_timestamps(1);
    let mut echoes = Vec::new();
    for (number, value) in [(0, 100), (2, 102), (3, 103), (1, 150), (4, 104)] {
        echoes.push(listener.hear_at(number, value).unwrap().timestamps.echo);
    }
    assert_eq!(echoes, [100, 100, 100, 150, 150], "104 is older than what is kept (4.3, rule 2)");
    assert_eq!(listener.hear_at(5, 160).unwrap().timestamps.echo, 160);
    assert_eq!(listener.hear_at(0, 170).unwrap().timestamps.echo, 170, "received before, and sent later");
}

/// RFC 7323, 3.2: the SYN-ACK echoes the SYN, whatever the clock shows.
#[test]
fn a_syn_is_echoed() {
    for value in [77, 1 << 31, u32::MAX] {
        let mut listener = Listener::new(false, |settings| {
            settings.timestamps = true;
            settings.handshake = true;
        });
        let timestamps = Timestamps { value, echo: 0 };
        listener
            .receiver
            .on_segment(listener.now, &Header { flags: Flags::SYN, timestamps, ..Header::default() });
        assert_eq!(listener.receiver.poll_transmit(listener.now).unwrap().timestamps.echo, value);
        assert_eq!(listener.hear_at(0, value.wrapping_add(5)), None);
        assert_eq!(
            listener.hear_at(1, value.wrapping_add(6)).unwrap().timestamps.echo,
            value.wrapping_add(5)
        );
    }
}

/// The clock of 32 bits wraps after 71 minutes.
#[test]
fn a_timestamp_that_wrapped_is_later() {
    let mut listener = with_timestamps(1);
    assert_eq!(listener.hear_at(0, 1 << 31).unwrap().timestamps.echo, 1 << 31);
    assert_eq!(listener.hear_at(1, u32::MAX - 1).unwrap().timestamps.echo, u32::MAX - 1);
    assert_eq!(listener.hear_at(2, 5).unwrap().timestamps.echo, 5);
}

#[test]
fn a_fin_is_acknowledged_at_once_and_counted_as_no_byte() {
    let handshake = |settings: &mut Settings| settings.handshake = true;
    let mut listener = Listener::new(false, handshake);
    let syn = Header { flags: Flags::SYN, ..Header::default() };
    listener.receiver.on_segment(listener.now, &syn);
    let reply = listener.receiver.poll_transmit(listener.now).unwrap();
    assert_eq!((reply.sequence, reply.acknowledgment, reply.end()), (0, 1, 1));
    let last = Header { flags: Flags::ACK.with(Flags::FIN), ..segment(0, 0) };
    listener.receiver.on_segment(listener.now, &last);
    let reply = listener.receiver.poll_transmit(listener.now).unwrap();
    assert!(reply.flags.has(Flags::FIN));
    assert_eq!((reply.sequence, reply.acknowledgment, reply.end()), (1, 2 + MSS, 2));
    assert_eq!(listener.receiver.delivered_bytes(), MSS);
}

/// A FIN waits for what comes before it.
#[test]
fn a_fin_out_of_order_closes_when_the_gap_is_filled() {
    let mut listener = Listener::new(true, |settings| settings.handshake = true);
    listener.receiver.on_segment(listener.now, &Header { flags: Flags::SYN, ..Header::default() });
    let _ = listener.receiver.poll_transmit(listener.now);
    let fin = Header { flags: Flags::ACK.with(Flags::FIN), length: 0, ..segment(2, 0) };
    listener.receiver.on_segment(listener.now, &fin);
    assert!(!listener.receiver.poll_transmit(listener.now).unwrap().flags.has(Flags::FIN));
    let _ = listener.hear(1);
    assert_eq!(listener.receiver.finished_at(), None);
    let reply = listener.hear_at(0, 0).unwrap();
    assert!(reply.flags.has(Flags::FIN) && reply.acknowledgment == 2 + 2 * MSS);
    assert_eq!(listener.receiver.delivered_segments(), 2);
    assert_eq!(listener.receiver.delivered_bytes(), 2 * MSS);
}

#[test]
fn data_before_a_syn_is_ignored() {
    let mut listener = Listener::new(false, |settings| settings.handshake = true);
    assert_eq!(listener.hear(0), None);
    assert!(listener.is_silent());
}

/// Five packets from a window of two, acknowledged in pairs or after 200 ms: the fifth comes alone and carries the FIN.
fn five_packets(change: impl FnOnce(&mut Settings)) -> Scene {
    Scene::connection(Recovery::NewReno, 5).set(|settings| {
        settings.initial_window = 2.0;
        settings.segments_per_ack = 2;
        change(settings);
    })
}

/// RFC 1122, 4.2.3.2, allows the acknowledgment of data to wait. That of a FIN does not, as in Linux and BSD.
#[test]
fn a_fin_is_acknowledged_at_once() {
    let pair = five_packets(|_| {}).play();
    assert_lines(
        &pair.table(),
        "0 SYN
         100             SYN-ACK
         200 0
         200 1
         300             ack 2
         400 2
         400 3
         400 4 FIN
         500             ack 4
         500             ack 5 FIN
         600 ack 2",
    );
    assert_eq!(pair.sender.finished_at(), Some(Time::ZERO + ms(600)));
}

/// As in ns-2, where no segment carries a FIN: the fifth waits for another, which does not come.
#[test]
fn the_acknowledgment_of_a_fin_may_be_delayed() {
    let pair = five_packets(|settings| settings.delay_fin_ack = true).play();
    assert_lines(&pair.moments(300, 9999), "400: 2 3 4");
    assert_eq!(pair.receiver.finished_at(), Some(Time::ZERO + ms(500)));
    assert_eq!(pair.sender.finished_at(), Some(Time::ZERO + ms(800)));
    pair.assert_complete(5);
    // The second of a pair is acknowledged at once, FIN or not.
    let even = Scene::connection(Recovery::NewReno, 2).set(|settings| {
        (settings.initial_window, settings.segments_per_ack, settings.delay_fin_ack) = (2.0, 2, true);
    });
    assert_eq!(even.play().sender.finished_at(), Some(Time::ZERO + ms(400)));
}

/// The receiver's FIN goes with the delayed acknowledgment, and is sent again a timeout after that.
#[test]
fn a_delayed_fin_is_retransmitted_a_timeout_after_it_was_sent() {
    let pair = five_packets(|settings| settings.delay_fin_ack = true).lose([What::SenderAck(1)]).play();
    assert_eq!(pair.times(|what| matches!(what, What::FinAck(_))), [700, 1700]);
    pair.assert_complete(5);
}

/// As in ns-2 until February 2010; a SYN that comes again is answered at once.
#[test]
fn the_acknowledgment_of_a_syn_may_be_delayed() {
    let syn_acks = |what: &What| matches!(what, What::SynAck(_));
    let pair = five_packets(|settings| settings.delay_syn_ack = true).play();
    assert_eq!(pair.times(syn_acks), [300]);
    assert_eq!(pair.sender.finished_at(), Some(Time::ZERO + ms(800)));
    let hasty = five_packets(|settings| {
        (settings.delay_syn_ack, settings.syn_timeout) = (true, ms(150));
    });
    assert_eq!(hasty.play().times(syn_acks)[0], 250);
}
