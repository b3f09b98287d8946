//! Early Retransmit (RFC 5827): with two or three segments outstanding there are never three duplicates.

use ackclock_transport::tcp::Recovery;

use crate::common::{ALL, Scene, data};

/// `packets` in one window, of which the first is lost.
fn tail(recovery: Recovery, packets: u64, early: bool) -> Vec<(u64, u64)> {
    let scene = Scene::file(recovery, packets).set(|settings| {
        settings.initial_window = packets as f64;
        settings.early_retransmit = early;
    });
    let pair = scene.lose([data(0)]).play();
    pair.assert_complete(packets);
    pair.again()
}

/// One less than is outstanding: one duplicate of two segments, two of three; four make three in any case.
#[test]
fn fewer_duplicates_mean_a_loss_at_the_tail() {
    for recovery in ALL {
        for packets in [2, 3] {
            assert_eq!(tail(recovery, packets, true), [(200, 0)], "{recovery}, {packets}");
            assert_eq!(tail(recovery, packets, false)[0], (1000, 0), "{recovery}, {packets}: the timer");
        }
        assert_eq!(tail(recovery, 4, true), tail(recovery, 4, false), "{recovery}");
    }
}

/// Section 2, (2.b): where there is unsent data that may be sent, limited transmit sends it.
#[test]
fn new_data_goes_first() {
    for recovery in ALL {
        let scene = Scene::file(recovery, 10).set(|settings| {
            settings.initial_window = 3.0;
            settings.early_retransmit = true;
        });
        let pair = scene.lose([data(0)]).play();
        assert_eq!(pair.again()[0], (1000, 0), "{recovery}: two duplicates of three segments");
    }
}
