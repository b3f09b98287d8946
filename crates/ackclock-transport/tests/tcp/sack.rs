//! SACK's own rules (RFC 6675); its recoveries from one to four losses are in `classic_losses.rs`.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;

use crate::common::{Pair, Scene, What, assert_lines, data, ms};

fn play(packets: u64, lost: &[u64]) -> Pair {
    let pair = Scene::file(Recovery::Sack, packets).lose(lost.iter().map(|segment| data(*segment))).play();
    pair.assert_complete(packets);
    pair
}

/// `NextSeg`, rule 1: what is lost goes before new data, as the window allows; all of it within the round trip, if
/// there is evidence enough. Of 15 packets four were lost, and all that was delivered lies above them: four
/// retransmissions and three new packets fill the window of 7.5.
#[test]
fn losses_go_first() {
    let pair = play(60, &[14, 15, 16, 17]);
    assert_lines(
        &pair.moments(1000, 1200),
        "1000: 14' 15' 16' 17' 29 30 31
         1200: 32 33 34 35 36 37 38",
    );
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// Rule 3: where there is nothing new to send, a hole without enough evidence is sent again as well; but not what
/// lies above all that was delivered.
#[test]
fn without_new_data_holes_are_filled_on_suspicion() {
    let pair = play(29, &[14, 26]);
    assert_lines(&pair.moments(1000, 9999), "1000: 14' 26'");
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// Rule 4: the last packet, about which nothing can be known, is sent again once as a rescue, and not before the
/// first retransmission is acknowledged (`HighACK > RescueRxt`).
#[test]
fn the_tail_is_rescued() {
    let pair = play(29, &[14, 28]);
    assert_lines(&pair.moments(1000, 9999), "1000: 14'\n 1200: 28'");
    assert_eq!(pair.signals(), [Signal::Loss], "no timeout");
    // Not before is also never, if nothing was missing at the tail.
    assert_eq!(play(29, &[14]).again(), [(1000, 14)]);
}

#[test]
fn a_tail_is_rescued_once() {
    let pair = Scene::file(Recovery::Sack, 29).lose([data(14), data(27), data(28), What::Data(28, 2)]).play();
    pair.assert_complete(29);
    // Above 27 nothing arrives either. The rescue, 28, is lost; the timer, set anew at 1200, sends what is missing.
    assert_lines(&pair.moments(1000, 9999), "1000: 14'\n 1200: 28'x\n 2200: 27'\n 2400: 28''");
}

/// A rescue says nothing of the packets before it: they may be found lost, and are sent again, later.
#[test]
fn a_rescue_leaves_the_others_to_be_found() {
    let pair = play(29, &[14, 27, 28]);
    assert_lines(&pair.moments(1000, 9999), "1000: 14'\n 1200: 28'\n 1400: 27'");
    assert_eq!(
        pair.signals(),
        [Signal::Loss],
        "no timeout: 28 was selectively acknowledged, so rule 3 holds of 27"
    );
}

/// Section 2: new selective information makes a duplicate, even in an acknowledgment that acknowledges new data;
/// section 5, step 2: three packets above the hole are enough, however few acknowledgments said so.
#[test]
fn one_acknowledgment_can_tell_of_a_loss() {
    let pair = Scene::file(Recovery::Sack, 20)
        .set(|settings| settings.initial_window = 10.0)
        .lose([data(3)])
        .lose((1..=6).map(What::Ack))
        .hold(What::Ack(7), ms(50))
        .lose((8..=9).map(What::Ack))
        .play();
    assert_eq!(pair.again(), [(250, 3)]);
    assert_eq!(pair.signals(), [Signal::Loss]);
    pair.assert_complete(20);
}

/// New data sent and lost during recovery is retransmitted in the same recovery, as 31 at 1400 ms, when 34 is acknowledged.
/// But it was sent after the reduction, so when recovery is over it is a loss of its own; it is not sent a third time.
#[test]
fn a_loss_during_recovery_is_another_signal() {
    let pair = play(60, &[14, 28, 31]);
    assert_eq!(pair.again(), [(1000, 14), (1200, 28), (1400, 31)]);
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss]);
}

/// 5.1: a recovery may begin when all is acknowledged that was outstanding at the timeout, here 0 to 15. The last of
/// them comes 100 ms late; by then three packets above 16 have been acknowledged, which shows its loss at once.
#[test]
fn a_loss_during_a_restart_is_found_at_its_end() {
    let pair = Scene::file(Recovery::Sack, 40)
        .set(|settings| settings.initial_window = 16.0)
        .lose((0..17).map(data))
        .hold(What::Data(15, 2), ms(100))
        .play();
    pair.assert_complete(40);
    assert_eq!(pair.again().last(), Some(&(2100, 16)), "{}", pair.moments(0, 9999));
    assert_eq!(pair.signals(), [Signal::Timeout, Signal::Loss]);
}

/// 5.1: a timeout in recovery ends it. What was delivered meanwhile is not sent again.
#[test]
fn a_timeout_ends_recovery() {
    let pair = Scene::file(Recovery::Sack, 60).lose([data(14), What::Data(14, 2), data(20)]).play();
    pair.assert_complete(60);
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Timeout]);
    assert_eq!(pair.again(), [(1000, 14), (1000, 20), (1800, 14)]);
}

/// The pipe: in recovery a packet goes out for each that is known to have left, so the network holds no more than the
/// window; and selective acknowledgments that were lost are made up for by later ones.
#[test]
fn lost_acknowledgments_do_not_stop_recovery() {
    let lost = [data(14), data(20)].into_iter().chain((16..26).map(What::Ack));
    let pair = Scene::file(Recovery::Sack, 60).lose(lost).play();
    pair.assert_complete(60);
    assert_eq!(pair.counters().timeouts, 0);
    assert_eq!(pair.again().len(), 2);
}
