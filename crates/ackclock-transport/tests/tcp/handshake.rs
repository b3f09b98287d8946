//! Opening a connection: RFC 9293, 3.5; the timer of the SYN, RFC 6298, 2.1, 5.5 and 5.7; the initial window after a
//! lost SYN, RFC 5681, 3.1.

use ackclock_transport::tcp::{Recovery, Settings, WindowAfterLostSyn};
use ackclock_units::{Duration, Time};

use crate::common::{ALL, Pair, Scene, What, assert_lines, data, ms};

fn is_syn(what: &What) -> bool {
    matches!(what, What::Syn(_))
}

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// All SYNs lost; runs until `end`.
fn unanswered(settings: impl FnOnce(&mut Settings), end: Time) -> Pair {
    let mut pair =
        Scene::connection(Recovery::NewReno, 10).set(settings).lose((1..100).map(What::Syn)).open();
    pair.run_until(end);
    pair
}

#[test]
fn the_acknowledgment_of_the_syn_ack_rides_on_the_first_data() {
    let pair = Scene::connection(Recovery::NewReno, 3).set(|settings| settings.initial_window = 2.0).play();
    assert_lines(
        &pair.table(),
        "0 SYN
         100              SYN-ACK
         200 0
         200 1
         300              ack 1
         300              ack 2
         400 2 FIN
         500              ack 3 FIN
         600 ack 2",
    );
    assert_eq!(pair.sender.established_at(), Some(Time::ZERO + ms(200)));
}

#[test]
fn the_timeout_of_a_syn_doubles() {
    let pair = unanswered(|_| {}, seconds(200));
    assert_eq!(pair.times(is_syn), [0, 1000, 3000, 7000, 15_000, 31_000, 63_000]);
    assert!(pair.sender.has_failed());
    assert_eq!(pair.sender.next_wake(), Time::MAX, "nothing more to wait for");
}

#[test]
fn three_six_and_twelve_seconds_make_twenty_one() {
    let settings = |settings: &mut Settings| {
        settings.syn_timeout = Duration::from_secs(3);
        settings.syn_attempts = 3;
    };
    let before = unanswered(settings, seconds(21));
    assert_eq!(before.times(is_syn), [0, 3000, 9000]);
    assert!(!before.sender.has_failed(), "at 21 s, not before");
    let after = unanswered(settings, Time::MAX);
    assert_eq!(after.now, seconds(21));
    assert!(after.sender.has_failed() && after.log.len() == 3);
}

/// RFC 9293, 3.10.4: a CLOSE call in SYN-SENT deletes the connection. No SYN follows, and an answer comes to no connection.
#[test]
fn the_stop_in_syn_sent_deletes_the_connection() {
    let stop = Time::ZERO + ms(4000);
    let mut pair = Scene::connection(Recovery::NewReno, 10).stop(stop).lose((1..100).map(What::Syn)).open();
    pair.run_until(Time::MAX);
    assert_eq!(pair.times(is_syn), [0, 1000, 3000], "the next would be sent at 7 s");
    assert_eq!((pair.now, pair.sender.closed_at()), (stop, Some(stop)));
    assert_eq!((pair.sender.finished_at(), pair.sender.established_at()), (None, None));
    assert!(pair.sender.is_over() && !pair.sender.is_open() && !pair.sender.has_failed());

    // The SYN-ACK arrives at 200 ms, and is answered with a reset (3.10.7.1), which ends the connection at the other side.
    let stop = Time::ZERO + ms(150);
    let late = Scene::connection(Recovery::NewReno, 10).stop(stop).play();
    assert_lines(&late.table(), "0 SYN\n 100              SYN-ACK\n 200 RST");
    assert_eq!((late.sender.closed_at(), late.sender.established_at()), (Some(stop), None));
}

#[test]
fn an_answer_after_the_failure_changes_nothing() {
    let mut pair = unanswered(|settings| settings.syn_attempts = 1, Time::MAX);
    let mut late = Scene::connection(Recovery::NewReno, 1).open();
    late.run_until(Time::ZERO + ms(101));
    let syn_ack = late.log[1].segment;
    pair.sender.on_segment(pair.now, &syn_ack.header, &syn_ack.sack);
    assert!(pair.sender.has_failed() && pair.sender.poll_transmit(pair.now).is_none());
}

/// RFC 5681, 3.1: one segment after a lost SYN or SYN-ACK, whatever the initial window; RFC 6298, 5.7: the timeout
/// is 3 s then.
#[test]
fn a_lost_syn_makes_a_modest_beginning() {
    for lost in [What::Syn(1), What::SynAck(1)] {
        let pair = Scene::connection(Recovery::NewReno, 20)
            .set(|settings| {
                settings.initial_window = 10.0;
                settings.window_after_lost_syn = WindowAfterLostSyn::Rfc5681;
            })
            .lose([lost, data(0)])
            .play();
        assert_lines(&pair.moments(0, 4400), "1200: 0x\n 4200: 0'\n 4400: 1 2");
        pair.assert_complete(20);
    }
}

/// RFC 6928, 2: the initial window is one segment after more than one repetition of the SYN.
#[test]
fn one_repetition_of_a_syn_leaves_the_initial_window() {
    use WindowAfterLostSyn::{Kept, Rfc5681, Rfc6928};
    for (rule, once, twice) in [(Rfc5681, 1, 1), (Rfc6928, 4, 1), (Kept, 4, 4)] {
        for (lost, at, window) in
            [(vec![What::Syn(1)], 1200, once), (vec![What::Syn(1), What::Syn(2)], 3200, twice)]
        {
            let pair = Scene::connection(Recovery::NewReno, 20)
                .set(|settings| {
                    settings.initial_window = 4.0;
                    settings.window_after_lost_syn = rule;
                })
                .lose(lost)
                .play();
            let sent = if window == 1 { format!("{at}: 0") } else { format!("{at}: 0 1 2 3") };
            assert_lines(&pair.moments(0, at), &sent);
        }
    }
}

#[test]
fn without_loss_the_initial_window_is_sent_at_once() {
    let pair = Scene::connection(Recovery::NewReno, 20).set(|settings| settings.initial_window = 4.0).play();
    assert_lines(&pair.moments(0, 200), "200: 0 1 2 3");
}

/// RFC 6298, 2.2: the SYN gives the first sample R, and the timeout is R + 4 R/2.
#[test]
fn the_syn_measures_the_round_trip() {
    let pair = Scene::connection(Recovery::NewReno, 5)
        .set(|settings| settings.rto.min = Duration::ZERO)
        .lose([data(0)])
        .play();
    assert_eq!(pair.again(), [(200 + 3 * 200, 0)]);
}

/// The first data also acknowledges the SYN-ACK; if it is lost the SYN-ACK comes again, and is acknowledged again,
/// but not taken for a duplicate of anything.
#[test]
fn a_syn_ack_that_comes_again_is_acknowledged_again() {
    let pair = Scene::connection(Recovery::NewReno, 2).lose([data(0)]).play();
    assert_lines(
        &pair.table(),
        "0 SYN
         100             SYN-ACK
         200 0 x
        1100             SYN-ACK
        1200 ack 1
        1200 0'
        1300             ack 1
        1400 1 FIN
        1500             ack 2 FIN
        1600 ack 2",
    );
}

/// A receiver that is not heard of gives up asking, but takes the data that shows the connection open after all.
#[test]
fn a_half_open_connection_takes_data() {
    for recovery in ALL {
        let pair = Scene::connection(recovery, 5)
            .set(|settings| settings.syn_attempts = 2)
            .lose([data(0), What::Data(0, 2), What::Data(0, 3), What::SenderAck(1)])
            .play();
        assert_eq!(pair.times(|what| matches!(what, What::SynAck(_))), [100, 1100], "{recovery}");
        pair.assert_complete(5);
    }
}

#[test]
fn a_connection_without_handshake_is_open_from_its_start() {
    let mut scene = Scene::file(Recovery::NewReno, 2);
    scene.transfer.start = Time::ZERO + ms(50);
    let pair = scene.play();
    assert_lines(
        &pair.table(),
        "50 0
         150            ack 1
         250 1
         350            ack 2",
    );
    assert_eq!(pair.sender.finished_at(), Some(Time::ZERO + ms(450)));
}
