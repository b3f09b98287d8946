//! Proportional rate reduction: the examples of RFC 6937, section 3.1, and what section 4 says must follow.

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs, Signal};
use ackclock_transport::tcp::{EcnMode, Recovery};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::common::{Entry, Pair, Scene, What, data, ms};

/// A window that an episode sets to what is to be kept, and nothing else moves.
#[derive(Clone, Debug)]
struct Reduces {
    cwnd: f64,
    kept: f64,
}

impl CongestionControl for Reduces {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, _ack: &Ack) -> Decision {
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        self.cwnd = if event.signal == Signal::Timeout { 1.0 } else { self.kept };
        self.decision()
    }

    fn on_event(&mut self, _event: &Event) -> Decision {
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision::window(self.cwnd)
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

/// The RFC's setting: a window of 20 packets in flight, limited transmit, the first `lost` packets lost, and half of
/// the 22 packets in flight at the third duplicate as the window to arrive at. Packets leave a millisecond apart, so
/// that each acknowledgment has a moment of its own.
fn example(recovery: Recovery, lost: u64) -> Pair {
    let mut scene = Scene::file(recovery, 200)
        .controller(Reduces { cwnd: 20.0, kept: 11.0 })
        .set(|settings| settings.limited_transmit = true)
        .lose((0..lost).map(data));
    for packet in 0..20 {
        scene = scene.hold(data(packet), ms(packet));
    }
    let pair = scene.play();
    pair.assert_complete(200);
    pair
}

/// The segments that each acknowledgment of the first window releases: `N` new data, `R` a retransmission, `-` none.
fn answers(pair: &Pair, lost: u64) -> Vec<String> {
    let sent_at = |at: Time| -> String {
        let sent: Vec<&Entry> = pair.log.iter().filter(|entry| entry.at == at).collect();
        let kinds = sent.iter().filter_map(|entry| match entry.what {
            What::Data(_, 1) => Some('N'),
            What::Data(..) => Some('R'),
            _ => None,
        });
        kinds.collect()
    };
    (lost..20)
        .map(|packet| sent_at(Time::ZERO + ms(200 + packet)))
        .map(|text| if text.is_empty() { "-".into() } else { text })
        .collect()
}

/// One loss: every other acknowledgment sends a packet, all through the round trip, and at its end, when the pipe has
/// come down to the window, every one ("RB: s").
#[test]
fn a_single_loss_spreads_the_reduction() {
    for recovery in [Recovery::Prr, Recovery::PrrCrb] {
        let sent = answers(&example(recovery, 1), 1).join(" ");
        assert_eq!(sent, "N N R - N - N - N - N - N - N - - N N", "{recovery}");
    }
    // RFC 6675 is silent for half a round trip first.
    let sent = answers(&example(Recovery::Sack, 1), 1).join(" ");
    assert_eq!(sent, "N N R - - - - - - - - N N N N N N N N");
}

/// A mark halves the window of 20, of which 19 are in flight once its acknowledgment has come (`RecoverFS`). With `reduction_for_marks` ten
/// acknowledgments send ceil(10 * 10 / 19) packets; without, none does for half a round trip. Both send ten in all.
#[test]
fn a_mark_spreads_the_reduction_where_asked() {
    let sent = |recovery, spreads| {
        let mut scene = Scene::file(recovery, 200)
            .controller(Reduces { cwnd: 20.0, kept: 10.0 })
            .set(|settings| (settings.ecn, settings.reduction_for_marks) = (EcnMode::Classic, spreads))
            .mark([data(0)]);
        for packet in 0..20 {
            scene = scene.hold(data(packet), ms(packet));
        }
        let pair = scene.play();
        pair.assert_complete(200);
        let answers = answers(&pair, 0);
        let of = |part: &[String]| part.iter().filter(|text| *text == "N").count();
        (of(&answers[..10]), of(&answers[10..]))
    };
    for recovery in [Recovery::Prr, Recovery::PrrCrb] {
        assert_eq!(sent(recovery, true), (6, 4), "{recovery}");
        assert_eq!(sent(recovery, false), (0, 10), "{recovery}");
    }
}

/// The first 15 of 20 are lost: where RFC 6675 sends a burst of seven, the slow-start bound sends two for each
/// acknowledgment, and the conservative bound one.
#[test]
fn a_burst_of_losses_makes_no_burst_of_retransmissions() {
    assert_eq!(answers(&example(Recovery::Sack, 15), 15), ["N", "N", "RRRRRRR", "R", "R"]);
    assert_eq!(answers(&example(Recovery::PrrCrb, 15), 15), ["N", "N", "R", "R", "R"]);
    assert_eq!(answers(&example(Recovery::Prr, 15), 15), ["N", "N", "RR", "RR", "RR"]);
}

/// Section 4: with few losses the window at the end of recovery is exactly the one the controller chose, and all three
/// have sent the same by then.
#[test]
fn recovery_ends_at_the_chosen_window() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::PrrCrb] {
        let mut scene = Scene::file(recovery, 400)
            .controller(Reduces { cwnd: 20.0, kept: 14.0 })
            .lose([data(20), data(25)]);
        for packet in 0..40 {
            scene = scene.hold(data(packet), ms(packet % 20));
        }
        let mut pair = scene.open();
        // The retransmission of 20 is sent at 403 ms, and acknowledged at 603 ms.
        pair.run_until(Time::ZERO + ms(603));
        assert_eq!(pair.sender.in_flight(), 14, "{recovery}: {}", pair.moments(400, 700));
        pair.run_until(Time::MAX);
        pair.assert_complete(400);
        assert_eq!(pair.signals(), [Signal::Loss], "{recovery}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// With losses of any pattern in one window, at the moment of each acknowledgment in recovery the conservative
    /// bound has sent as much as was delivered at the most, the slow-start bound one more for each acknowledgment.
    #[test]
    fn what_is_sent_is_bounded_by_what_is_delivered(
        lost in prop::collection::btree_set(20..40_u64, 1..15),
        kept in 1..20_u32,
        conservative in any::<bool>(),
    ) {
        let recovery = if conservative { Recovery::PrrCrb } else { Recovery::Prr };
        let mut scene = Scene::file(recovery, 200)
            .controller(Reduces { cwnd: 20.0, kept: f64::from(kept) })
            .lose(lost.iter().map(|packet| data(*packet)));
        for packet in 20..40 {
            scene = scene.hold(data(packet), ms(packet - 20));
        }
        let mut pair = scene.open();
        pair.run_until(Time::ZERO + ms(600));
        let acks: Vec<Ack> = pair.acks().into_iter().filter(|ack| ack.now >= Time::ZERO + ms(400)).collect();
        // The acknowledgment that declares something lost is the first of the recovery.
        let Some(first) = acks.iter().position(|ack| ack.lost > 0.0) else { return Ok(()) };
        let mut delivered = 0.0;
        for (count, ack) in (1..).zip(&acks[first..]) {
            delivered += ack.delivered;
            let began = acks[first].now;
            let sent = pair.log.iter().filter(|entry| {
                matches!(entry.what, What::Data(..)) && (began..=ack.now).contains(&entry.at)
            });
            let extra = if conservative { 0.0 } else { f64::from(count) };
            let sent = sent.count() as f64;
            prop_assert!(sent <= (delivered + extra).max(1.0), "{sent} of {delivered} after {count}");
        }
    }
}

/// RFC 6675, `NextSeg`, rule 4, says which packet goes where the proportional reduction says that one may: the last one, about which
/// nothing can be known, is sent again once, and no timer is needed.
#[test]
fn the_tail_is_rescued() {
    for recovery in [Recovery::Prr, Recovery::PrrCrb] {
        let pair = Scene::file(recovery, 29).lose([data(14), data(28)]).play();
        pair.assert_complete(29);
        assert_eq!(pair.again(), [(1000, 14), (1200, 28)], "{recovery}");
        assert_eq!(pair.signals(), [Signal::Loss], "{recovery}: no timeout");
    }
}
