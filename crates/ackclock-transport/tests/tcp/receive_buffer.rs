//! A receive buffer that fills: window, persist timer and tuning, against timelines made by hand (RFC 9293, 3.8.6).

use ackclock_transport::tcp::Recovery;
use ackclock_transport::{Flags, Header, Segment, Way};
use ackclock_units::{Rate, Time};

use crate::common::{End, MSS, Pair, Scene, What, assert_lines, ms};

/// A buffer of four segments, of which the application reads one in 800 ms.
fn slow_reader() -> Scene {
    Scene::file(Recovery::Sack, 9).set(|settings| {
        settings.initial_window = 8.0;
        settings.receive_window = 4 * MSS as u32;
        settings.read_rate = Some(Rate::from_bits_per_second(10_000));
        settings.rto.min = ms(1100);
    })
}

/// The acknowledgments: the millisecond, the segments acknowledged, and the window in segments.
fn windows(pair: &Pair) -> Vec<(u64, u64, u64)> {
    let acks = pair.log.iter().filter(|entry| entry.from == End::Receiver);
    acks.map(|entry| {
        let Header { acknowledgment, window, .. } = entry.segment.header;
        assert_eq!(u64::from(window) % MSS, 0, "a window of whole segments");
        (entry.at.as_nanos() / 1_000_000, acknowledgment / MSS, u64::from(window) / MSS)
    })
    .collect()
}

fn probes(pair: &Pair) -> Vec<u64> {
    pair.times(|what| matches!(what, What::SenderAck(_)))
}

/// The application begins to read at 100 ms, and has read 1.25 bytes per millisecond since. Probes leave 1100 ms after the
/// acknowledgment that closed the window; a window update when there is room for two segments: at 2500 ms 3000 bytes are read.
#[test]
fn a_slow_reader_closes_the_window_and_probes_and_updates_open_it() {
    let pair = slow_reader().play();
    let expected = "0: 0 1 2 3
        1500: 4
        2600: 5 6
        4100: 7
        4300: 8";
    assert_lines(&pair.moments(0, 10_000), expected);
    assert_eq!(probes(&pair), [1300, 3900]);
    assert_eq!(pair.sender.incidents().window_probes, 2);
    let expected = [
        (100, 1, 3),
        (100, 2, 2),
        (100, 3, 1),
        (100, 4, 0),
        // The answer to the probe: 1625 bytes are read.
        (1400, 4, 1),
        (1600, 5, 0),
        // The update, at half the buffer.
        (2500, 5, 2),
        (2700, 6, 1),
        (2700, 7, 0),
        (4000, 7, 1),
        // Another segment has been read: the window moves with the acknowledgment.
        (4200, 8, 1),
        (4400, 9, 0),
    ];
    let found = windows(&pair);
    assert_eq!(found[..expected.len()], expected);
    pair.assert_complete(9);
    assert_eq!(pair.counters().timeouts, 0, "a window without room is no congestion");
}

/// The update of 2500 ms is lost: the probe of 2800 ms finds the window.
#[test]
fn a_probe_finds_a_window_whose_update_was_lost() {
    let pair = slow_reader().lose([What::Ack(7)]).play();
    assert_eq!(probes(&pair)[..2], [1300, 2800]);
    assert!(pair.data().starts_with(&[(0, 0), (0, 1), (0, 2), (0, 3), (1500, 4), (3000, 5), (3000, 6)]));
    pair.assert_complete(9);
}

/// The intervals double, up to the longest timeout, and the connection stays open (RFC 9293, 3.8.6.1).
#[test]
fn the_intervals_of_probes_double_and_never_end() {
    let scene = slow_reader().set(|settings| {
        settings.read_rate = Some(Rate::from_bits_per_second(8));
        settings.rto.max = ms(8000);
    });
    let mut pair = scene.open();
    pair.run_until(Time::ZERO + ms(60_000));
    assert_eq!(probes(&pair), [1300, 3500, 7900, 15_900, 23_900, 31_900, 39_900, 47_900, 55_900]);
    assert_eq!(pair.data().len(), 4);
    assert!(pair.sender.is_open());
}

/// RFC 5681, section 2, (e): an acknowledgment that changes the window is no duplicate.
#[test]
fn a_window_update_is_no_duplicate() {
    for (windows, again) in [([9, 10, 11, 12], 0), ([9, 9, 9, 9], 1)] {
        let scene = Scene::eight_of_forty(Recovery::NewReno).set(|settings| {
            settings.receive_window = 8 * MSS as u32;
        });
        let mut pair = scene.open();
        pair.run_until(Time::ZERO + ms(1));
        for window in windows {
            let header = Header {
                acknowledgment: 1,
                window: window * MSS as u32,
                flags: Flags::ACK,
                way: Way::ToSender,
                ..Header::default()
            };
            pair.deliver(End::Sender, &Segment::from(header));
        }
        assert_eq!(pair.again().len(), again, "{windows:?}");
    }
}

/// Ten segments in the first round trip, which the receiver does not know. The first of the second one measures 200 ms: 11 were
/// read by then, which is one more than the ten to begin with: 22 + 16, and 2 * 3.8 for the growth, make 45. At 700 ms it is 40
/// in a round trip where it was 11 before: more than the limit.
#[test]
fn a_tuned_buffer_grows_with_what_is_read_in_a_round_trip() {
    let scene = Scene::file(Recovery::Sack, 200).set(|settings| {
        settings.initial_window = 40.0;
        settings.timestamps = true;
        settings.receive_window = 100 * MSS as u32;
        settings.initial_receive_window = Some(10 * MSS as u32);
    });
    let pair = scene.play();
    pair.assert_complete(200);
    let at = |millis: u64| -> Vec<u64> {
        windows(&pair).iter().filter(|(at, ..)| *at == millis).map(|(.., window)| *window).collect()
    };
    assert_eq!(at(100), [10; 10]);
    assert_eq!(at(300), [45; 10]);
    assert_eq!(at(500), [45; 45]);
    assert!(at(700).iter().all(|window| *window == 100), "{:?}", at(700));
    let sent = |from, to| pair.data().iter().filter(|(at, _)| (from..=to).contains(at)).count();
    assert_eq!([sent(0, 0), sent(200, 200), sent(400, 400)], [10, 10, 45]);
}

/// Without timestamps the round trip is the time in which a window is filled (`tcp_rcv_rtt_measure`): the tenth of the window
/// that begins with the first ten ends it.
#[test]
fn a_buffer_is_tuned_without_timestamps_too() {
    let scene = Scene::file(Recovery::Sack, 200).set(|settings| {
        settings.initial_window = 40.0;
        settings.receive_window = 100 * MSS as u32;
        settings.initial_receive_window = Some(10 * MSS as u32);
    });
    let pair = scene.play();
    pair.assert_complete(200);
    let widest = windows(&pair).iter().map(|(.., window)| *window).max();
    assert_eq!(widest, Some(100));
    let first = windows(&pair).into_iter().find(|(.., window)| *window > 10).unwrap();
    assert_eq!(first.0, 300, "not before a round trip is measured");
}
