//! Header prediction is entered from within the calls that everybody makes: stories and networks of chance walk it.

use ackclock_transport::tcp::Recovery;

use crate::common::{Scene, data};

/// A loss in the middle of a long file: before the loss and after recovery, acknowledgments are predicted.
#[test]
fn most_acknowledgments_of_a_story_are_predicted() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Prr] {
        let pair = Scene::file(recovery, 400).set(|settings| settings.receive_window = 30_000);
        let pair = pair.lose([data(100)]).play();
        pair.assert_complete(400);
        let all = pair.acks().len();
        assert!(pair.predicted > all / 2, "{recovery}: {} of {all}", pair.predicted);
        assert!(pair.predicted < all - 10, "{recovery}: recovery is not predicted");
    }
}

/// The recovery that judges by the clock, and the one that takes every sample of the round-trip time in full, are never on
/// the fast path.
#[test]
fn no_acknowledgment_is_predicted_that_a_recovery_waits_for() {
    for recovery in [Recovery::Rack, Recovery::Vegas] {
        let pair = Scene::file(recovery, 100).play();
        pair.assert_complete(100);
        assert_eq!(pair.predicted, 0, "{recovery}");
    }
}
