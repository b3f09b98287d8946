//! Data both ways on one connection: what each segment carries, against timelines made by hand (RFC 9293, RFC 5681).

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_congestion::Start;
use ackclock_congestion::conformance::checked;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_transport::tcp::{
    Connection, Cookie, LimitedGrowth, Recovery, ReductionBase, Settings, Transfer,
};
use ackclock_transport::{Flags, Segment};
use ackclock_units::{Duration, Rate, Time};

use crate::common::{MSS, ms};

const CLIENT: usize = 0;
const SERVER: usize = 1;

/// Two ends with 100 ms between them.
struct Exchange {
    ends: [Connection; 2],
    now: Time,
    transit: BTreeMap<(Time, usize), (usize, Segment)>,
    /// The time in milliseconds, the end that sends, and the segment.
    log: Vec<(u64, usize, Segment)>,
    /// The segments with data that are lost, by the end that sends and their number among its segments with data.
    lose: Vec<(usize, usize)>,
}

impl Exchange {
    /// A client that opens at once and writes this many packets.
    fn new(recovery: Recovery, request: u64, change: impl FnOnce(&mut Settings)) -> Exchange {
        let mut settings =
            Settings { mss: MSS as u16, initial_window: 10.0, segments_per_ack: 2, ..Settings::default() };
        change(&mut settings);
        let start = Start { initial_window: settings.initial_window, ..Start::default() };
        let controller = || checked("reno".parse::<ControllerSpec>().unwrap().build(&start)).0;
        let settings = Arc::new(settings);
        let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets: Some(request) };
        let client = Connection::opening(&settings, recovery, controller(), transfer);
        let server = Connection::listening(&settings, recovery, controller());
        let (transit, log) = (BTreeMap::new(), Vec::new());
        Exchange { ends: [client, server], now: Time::ZERO, transit, log, lose: Vec::new() }
    }

    fn flush(&mut self, end: usize) {
        while let Some(segment) = self.ends[end].poll_transmit(self.now) {
            let before = self.log.iter().filter(|(_, from, sent)| *from == end && sent.length > 0).count();
            self.log.push((self.now.as_nanos() / 1_000_000, end, segment));
            if segment.length == 0 || !self.lose.contains(&(end, before)) {
                let arrival = self.now + ms(100);
                self.transit.insert((arrival, self.log.len()), (1 - end, segment));
            }
        }
    }

    fn write(&mut self, end: usize, packets: u64) {
        self.ends[end].write(self.now, packets);
        self.flush(end);
    }

    fn close(&mut self, end: usize) {
        let now = self.now;
        self.ends[end].close(now);
        self.flush(end);
    }

    /// Lets everything happen up to a time in milliseconds.
    fn run_until(&mut self, millis: u64) {
        let end = Time::ZERO + ms(millis);
        loop {
            let arrival = self.transit.keys().next().map_or(Time::MAX, |(time, _)| *time);
            let wakes = [self.ends[CLIENT].next_wake(), self.ends[SERVER].next_wake()];
            let next = arrival.min(wakes[CLIENT]).min(wakes[SERVER]);
            if next > end {
                self.now = end;
                return;
            }
            self.now = self.now.max(next);
            if arrival == next {
                let (_, (to, segment)) = self.transit.pop_first().unwrap();
                self.ends[to].on_segment(self.now, &segment.header, &segment.sack);
                self.flush(to);
                continue;
            }
            let due = usize::from(wakes[CLIENT] > next);
            self.ends[due].on_timer(self.now);
            self.flush(due);
        }
    }

    /// The log as lines: `200 C 1+1000 ack 1` is the client's first segment with data; `+0` has none.
    fn story(&self) -> Vec<String> {
        let line = |(time, from, segment): &(u64, usize, Segment)| {
            let names = [(Flags::SYN, " SYN"), (Flags::FIN, " FIN")];
            let flags: String =
                names.iter().filter(|(flag, _)| segment.flags.has(*flag)).map(|(_, name)| *name).collect();
            let end = ["C", "S"][*from];
            let acknowledgment = if segment.flags.has(Flags::ACK) {
                format!(" ack {}", segment.acknowledgment)
            } else {
                String::new()
            };
            format!("{time} {end} {}+{}{acknowledgment}{flags}", segment.sequence, segment.length)
        };
        self.log.iter().map(line).collect()
    }

    fn delivered(&self, end: usize) -> u64 {
        self.ends[end].receiver().delivered_segments()
    }
}

#[test]
fn a_response_acknowledges_its_request_and_is_acknowledged_after_the_delay() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |_| {});
    exchange.run_until(300);
    // The request of one packet is there, and its acknowledgment delayed: the response carries it.
    exchange.write(SERVER, 3);
    exchange.run_until(2000);
    let expected = [
        "0 C 0+0 SYN",
        "100 S 0+0 ack 1 SYN",
        "200 C 1+1000 ack 1",
        "300 S 1+1000 ack 1001",
        "300 S 1001+1000 ack 1001",
        "300 S 2001+1000 ack 1001",
        // Every other segment at once, the last after 200 ms (RFC 5681, 4.2).
        "400 C 1001+0 ack 2001",
        "600 C 1001+0 ack 3001",
    ];
    assert_eq!(exchange.story(), expected);
    assert_eq!((exchange.delivered(CLIENT), exchange.delivered(SERVER)), (3, 1));
    assert_eq!(exchange.ends[SERVER].sender().counters(exchange.now).retransmissions, 0);
}

#[test]
fn the_next_request_carries_the_acknowledgment_of_the_response() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |_| {});
    exchange.run_until(300);
    exchange.write(SERVER, 1);
    exchange.run_until(450);
    // 50 ms after the response, its acknowledgment is still to come.
    exchange.write(CLIENT, 1);
    exchange.run_until(2000);
    let expected = [
        "300 S 1+1000 ack 1001",
        "450 C 1001+1000 ack 1001",
        // No response comes: the acknowledgment goes alone.
        "750 S 1001+0 ack 2001",
    ];
    assert_eq!(exchange.story()[3..], expected);
}

#[test]
fn a_server_that_takes_longer_than_the_delay_acknowledges_the_request_by_itself() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |_| {});
    exchange.run_until(900);
    exchange.write(SERVER, 1);
    exchange.run_until(3000);
    let expected =
        ["200 C 1+1000 ack 1", "500 S 1+0 ack 1001", "900 S 1+1000 ack 1001", "1200 C 1001+0 ack 1001"];
    assert_eq!(exchange.story()[2..], expected);
}

#[test]
fn each_way_closes_with_a_fin_of_its_own() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |_| {});
    exchange.run_until(300);
    exchange.close(CLIENT);
    // The client has closed; the server may still send (RFC 9293, 3.6: half-closed).
    exchange.run_until(400);
    exchange.write(SERVER, 2);
    exchange.run_until(1000);
    exchange.close(SERVER);
    exchange.run_until(5000);
    let expected = [
        "300 C 1001+0 ack 1 FIN",
        "400 S 1+0 ack 1002",
        "400 S 1+1000 ack 1002",
        "400 S 1001+1000 ack 1002",
        "500 C 1002+0 ack 2001",
        "1000 S 2001+0 ack 1002 FIN",
        "1100 C 1002+0 ack 2002",
    ];
    assert_eq!(exchange.story()[3..], expected);
    assert!(exchange.ends.iter().all(Connection::has_received_all));
    assert!(exchange.ends.iter().all(|end| end.next_wake() == Time::MAX), "nothing is left to wait for");
}

/// RFC 5681, section 2: an acknowledgment with data is no duplicate, however often it repeats.
#[test]
fn data_that_repeats_an_acknowledgment_is_no_duplicate() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let mut exchange = Exchange::new(recovery, 1, |settings| settings.ack_delay = ms(500));
        exchange.run_until(250);
        exchange.write(SERVER, 0);
        exchange.run_until(299);
        // Both ends send ten packets across each other: the server's ten all repeat one acknowledgment.
        exchange.write(CLIENT, 9);
        exchange.run_until(300);
        exchange.write(SERVER, 10);
        exchange.run_until(3000);
        for end in &exchange.ends {
            let counters = end.sender().counters(exchange.now);
            assert_eq!((counters.fast_retransmits, counters.retransmissions), (0, 0), "{recovery:?}");
        }
        assert_eq!((exchange.delivered(CLIENT), exchange.delivered(SERVER)), (10, 10));
    }
}

#[test]
fn losses_are_repaired_both_ways_at_the_same_time() {
    for recovery in
        [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Prr, Recovery::Rack]
    {
        for timestamps in [false, true] {
            let mut exchange = Exchange::new(recovery, 40, |settings| settings.timestamps = timestamps);
            exchange.lose =
                vec![(CLIENT, 3), (CLIENT, 4), (SERVER, 0), (SERVER, 7), (SERVER, 21), (CLIENT, 30)];
            exchange.run_until(300);
            exchange.write(SERVER, 40);
            exchange.run_until(60_000);
            let delivered = (exchange.delivered(CLIENT), exchange.delivered(SERVER));
            assert_eq!(delivered, (40, 40), "{recovery:?}, timestamps {timestamps}");
            let bytes = exchange.ends.each_ref().map(|end| end.receiver().delivered_bytes());
            assert_eq!(bytes, [40 * MSS; 2], "{recovery:?}: in order, and all of it");
            assert!(exchange.ends.iter().all(|end| end.sender().is_over()), "{recovery:?}: all acknowledged");
        }
    }
}

/// RFC 7661, 4.2 to 4.4, with 200 ms of round trip and a window of 40 packets. The first flight of 9 brings no sample before its last
/// acknowledgment: 8 of 9 grow the window, to 48, of which 9 are less than half. A second flight leaves it. In the third, the first
/// packet is lost: half of 9 are left, and half of 8 once the loss is repaired: one was sent again (4.4.1). pipeACK is undefined then. So the first of two more packets grows the
/// window, by its inverse; with the second there is a sample of 2, which is less than half of 4.25.
#[test]
fn windows_grow_by_validation_and_after_a_recovery_until_there_is_a_sample() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        let mut exchange = Exchange::new(recovery, 9, |settings| {
            settings.initial_window = 40.0;
            settings.segments_per_ack = 1;
            settings.limited_growth = LimitedGrowth::Rfc7661;
            settings.restart_after_idle = false;
        });
        exchange.lose = vec![(CLIENT, 18)];
        let mut windows = Vec::new();
        for (millis, packets) in [(1000, 9), (1400, 9), (2400, 2), (3000, 0)] {
            exchange.run_until(millis);
            windows.push(exchange.ends[CLIENT].sender().cwnd());
            exchange.write(CLIENT, packets);
        }
        let counters = exchange.ends[CLIENT].sender().counters(exchange.now);
        assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0), "{recovery:?}");
        assert_eq!(windows, [48.0, 48.0, 4.0, 4.25], "{recovery:?}");
    }
}

/// Linux' quick acknowledgments, at 100 ms each way. The server acknowledges the first request at once. It answers 20 ms later, within
/// the delay of 40 ms, so that from then on its acknowledgments wait for its answers (`inet_csk_in_pingpong_mode`): that of the second request
/// goes with the answer. The client, which has not answered within the delay, acknowledges each answer at once. The third request gets no
/// answer: its acknowledgment leaves after 40 ms, and that of the fourth is not delayed (`tcp_delack_timer_handler`).
#[test]
fn an_end_that_answers_delays_its_acknowledgments() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |settings| {
        settings.quick_acks = 16;
        settings.ack_delay = ms(40);
    });
    for arrival in [300, 1300] {
        exchange.run_until(arrival + 20);
        exchange.write(SERVER, 1);
        exchange.run_until(arrival + 900);
        exchange.write(CLIENT, 1);
    }
    exchange.run_until(3200);
    exchange.write(CLIENT, 1);
    exchange.run_until(4000);
    let acknowledgments = |end: usize| -> Vec<u64> {
        let pure = exchange.log.iter().filter(|(_, from, segment)| *from == end && segment.length == 0);
        pure.filter(|(_, _, segment)| !segment.flags.has(Flags::SYN)).map(|(at, ..)| *at).collect()
    };
    assert_eq!(acknowledgments(SERVER), [300, 2340, 3300], "{:?}", exchange.story());
    assert_eq!(acknowledgments(CLIENT), [420, 1420], "{:?}", exchange.story());
}

/// RFC 7661, 4.4 and 4.4.1, with 200 ms of round trip and a window of 40 packets. A flight of 9 brings a sample of 9; 8 of its
/// acknowledgments came before, so that the window is 48. It is preserved over an idle time of some timeouts. Of the next flight the first
/// packet is lost. Half of pipeACK's 9 are left after a flight of 6, and half of a flight of 36. After four seconds no sample is left of the
/// period of one, and half of the flight of 6 remains. The end of the recovery takes half of the one that was sent again.
#[test]
fn a_window_not_validated_is_preserved_and_reduced_to_half_of_what_was_used() {
    let by = |millis, flight, left| {
        [ReductionBase::Flight, ReductionBase::Window].map(|base| (millis, flight, left, base))
    };
    for (millis, flight, left, base) in [by(700, 6, 4.5), by(700, 36, 18.0), by(5000, 6, 3.0)].concat() {
        let mut exchange = Exchange::new(Recovery::Sack, 9, |settings| {
            settings.initial_window = 40.0;
            settings.segments_per_ack = 1;
            settings.limited_growth = LimitedGrowth::Rfc7661;
            settings.limited_transmit = false;
            settings.reduction_base = base;
        });
        exchange.lose = vec![(CLIENT, 9)];
        exchange.run_until(millis);
        exchange.write(CLIENT, flight);
        assert_eq!(exchange.ends[CLIENT].sender().cwnd().to_bits(), 48.0_f64.to_bits());
        exchange.run_until(millis + 260);
        let counters = exchange.ends[CLIENT].sender().counters(exchange.now);
        assert_eq!((counters.fast_retransmits, counters.timeouts), (1, 0));
        assert_eq!(exchange.ends[CLIENT].sender().cwnd().to_bits(), f64::to_bits(left), "{flight}");
        exchange.run_until(millis + 500);
        assert_eq!(exchange.ends[CLIENT].sender().cwnd().to_bits(), f64::to_bits(left - 0.5), "{flight}");
    }
}

/// RFC 7661, 4.4.1, where a loss probe repairs the tail of a flight of 6 (RFC 8985, 7.4.2): the next acknowledgment shows it, no recovery follows, and
/// 3 packets are left. Full flights grow the window then. Of 8 packets in flight a loss leaves half, whatever the loss before left.
#[test]
fn a_loss_that_a_probe_repaired_bounds_no_later_window() {
    let mut exchange = Exchange::new(Recovery::Rack, 9, |settings| {
        settings.initial_window = 40.0;
        settings.segments_per_ack = 1;
        settings.limited_growth = LimitedGrowth::Rfc7661;
    });
    exchange.lose = vec![(CLIENT, 14), (CLIENT, 54)];
    let mut windows = Vec::new();
    for (second, packets) in [6, 5, 3, 4, 5, 6, 7, 8, 8].into_iter().enumerate() {
        exchange.run_until(1000 + 1000 * second as u64);
        windows.push(exchange.ends[CLIENT].sender().cwnd());
        exchange.write(CLIENT, packets);
    }
    exchange.run_until(9230);
    assert_eq!(windows[2].to_bits(), 3.0_f64.to_bits(), "{windows:?}");
    assert!(windows[8] >= 8.0, "{windows:?}");
    assert_eq!(exchange.ends[CLIENT].sender().cwnd().to_bits(), 4.0_f64.to_bits(), "{windows:?}");
}

/// RFC 8985, 7.2: "PTO = 1 sec" where no round trip was measured, of a lone segment too: the delay of its acknowledgment is added to 2 * SRTT
/// alone. The SYN is lost and sent again after a second, so that data begins at 1200 ms, with a timeout of three seconds (RFC 6298, 5.7). At 2200 ms
/// 7.3 has no probe without a measurement, and restarts the retransmission timer.
#[test]
fn a_lone_segment_without_a_round_trip_waits_a_second_for_its_probe() {
    let mut exchange = Exchange::new(Recovery::Rack, 1, |settings| settings.ack_delay = ms(200));
    exchange.lose = vec![(CLIENT, 0)];
    exchange.run_until(50);
    assert!(exchange.transit.pop_first().is_some(), "the SYN");
    exchange.run_until(6000);
    let data = exchange.log.iter().filter(|(_, end, segment)| *end == CLIENT && segment.length > 0);
    assert_eq!(data.map(|(at, ..)| *at).collect::<Vec<_>>(), [1200, 5200], "{:?}", exchange.story());
}

/// Each end's data and its receiver's reports share segments; a FIN that is lost is sent again.
#[test]
fn segments_of_any_kind_may_be_lost() {
    let mut state = 12_345_u64;
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        for _ in 0..40 {
            let mut exchange = Exchange::new(recovery, 12, |_| {});
            let mut steps = 0;
            let mut written = false;
            while steps < 20_000 && !(written && exchange.ends.iter().all(Connection::has_received_all)) {
                steps += 1;
                exchange.run_until(steps * 20);
                // Every 800 ms on average a packet disappears, whatever it is.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if (state >> 33).is_multiple_of(40) {
                    exchange.transit.pop_last();
                }
                if !written && exchange.delivered(SERVER) == 12 {
                    written = true;
                    exchange.write(SERVER, 25);
                    exchange.close(CLIENT);
                    exchange.close(SERVER);
                }
            }
            assert_eq!((exchange.delivered(CLIENT), exchange.delivered(SERVER)), (25, 12), "{recovery:?}");
            assert!(exchange.ends.iter().all(Connection::has_received_all), "{recovery:?}");
        }
    }
}

#[test]
fn what_is_in_flight_is_never_more_than_the_window() {
    let mut exchange = Exchange::new(Recovery::Sack, 30, |settings| settings.initial_window = 2.0);
    exchange.run_until(300);
    exchange.write(SERVER, 30);
    for millis in (300..4000).step_by(5) {
        exchange.run_until(millis);
        for end in &exchange.ends {
            assert!(f64::from(end.sender().in_flight()) <= end.sender().cwnd());
        }
    }
    assert_eq!((exchange.delivered(CLIENT), exchange.delivered(SERVER)), (30, 30));
    assert!(exchange.now < Time::ZERO + Duration::from_secs(4));
}

/// RFC 7413: the request goes in the SYN, and the response follows the SYN-ACK: both are over a round trip earlier.
#[test]
fn a_request_in_the_syn_is_answered_a_round_trip_earlier() {
    let cookie = Cookie::unknown();
    for (arrives, answered) in [(300, 400), (100, 200)] {
        let mut exchange = Exchange::new(Recovery::Sack, 1, |settings| settings.fast_open = true);
        exchange.ends[CLIENT].keep_cookie(cookie.clone());
        exchange.run_until(arrives - 1);
        assert_eq!(exchange.delivered(SERVER), 0);
        exchange.run_until(arrives);
        assert_eq!(exchange.delivered(SERVER), 1);
        exchange.write(SERVER, 3);
        exchange.run_until(answered);
        assert_eq!(exchange.delivered(CLIENT), 3, "{:?}", exchange.story());
        exchange.close(CLIENT);
        exchange.close(SERVER);
        exchange.run_until(5000);
        assert!(exchange.ends.iter().all(Connection::has_received_all), "{:?}", exchange.story());
        assert!(exchange.ends.iter().all(|end| end.next_wake() == Time::MAX));
    }
}

/// The client resets instead of a FIN, and the server, whose response is acknowledged by nothing then, is at rest.
#[test]
fn a_reset_ends_both_ways() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |settings| settings.close_by_reset = true);
    exchange.run_until(300);
    exchange.write(SERVER, 3);
    exchange.run_until(400);
    exchange.close(CLIENT);
    exchange.run_until(5000);
    let resets: Vec<_> = exchange.log.iter().filter(|(.., segment)| segment.flags.has(Flags::RST)).collect();
    assert_eq!((resets[0].0, resets[0].1), (400, CLIENT));
    assert_eq!(exchange.ends[CLIENT].sender().incidents().resets, 1);
    assert!(exchange.ends.iter().all(|end| !end.sender().is_open() && end.next_wake() == Time::MAX));
}

/// Half a buffer of four segments is read after 1.6 s: the window travels with the data of the other way, too.
#[test]
fn a_window_closes_and_opens_on_a_connection_with_data_both_ways() {
    let mut exchange = Exchange::new(Recovery::Sack, 1, |settings| {
        settings.receive_window = 4 * MSS as u32;
        settings.read_rate = Some(Rate::from_bits_per_second(10_000));
    });
    exchange.run_until(300);
    exchange.write(SERVER, 20);
    exchange.run_until(1500);
    assert_eq!(exchange.delivered(CLIENT), 4, "{:?}", exchange.story());
    exchange.run_until(60_000);
    assert_eq!(exchange.delivered(CLIENT), 20, "{:?}", exchange.story());
}
