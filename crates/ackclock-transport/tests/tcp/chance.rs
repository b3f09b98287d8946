//! Networks that lose, duplicate, delay and reorder packets of both directions at random: every transfer completes,
//! every byte is delivered once, and the controller is told what its contract says (the wrapper around it panics
//! otherwise, and so do overflows). That the windows are kept to is checked in every story.

use ackclock_catalogue::Part;
use ackclock_congestion::Start;
use ackclock_congestion::conformance::{compositions, drawn};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_transport::tcp::{RECEIVER_CONTROLS, Recovery};
use ackclock_units::{Duration, Rate, Time};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::common::{ALL, Chance, Pair, Scene, What, data, ms};
use crate::fixed::Fixed;

/// The fate of one packet: the extra delay of each copy.
fn fate() -> impl Strategy<Value = Vec<Duration>> {
    let delay = prop_oneof![4 => Just(0), 1 => 0..20_u64, 1 => 20..400_u64].prop_map(ms);
    prop_oneof![
        20 => Just(vec![Duration::ZERO]),
        3 => Just(vec![]),
        1 => prop::collection::vec(delay.clone(), 2..4),
        2 => prop::collection::vec(delay, 1..2),
    ]
}

/// Packets of either direction meet these fates in turn; after them the network is perfect.
fn chance(fates: Vec<Vec<Duration>>) -> Chance {
    let mut fates = fates.into_iter();
    Box::new(move || fates.next().unwrap_or_else(|| vec![Duration::ZERO]))
}

/// Any slow start with any avoidance, or a model, with its defaults and with others.
fn controller() -> impl Strategy<Value = ControllerSpec> {
    let parameters = prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 0..40)];
    (prop::sample::select(compositions()), parameters)
        .prop_map(|(name, bytes)| drawn(&name, &bytes).parse().unwrap())
}

/// A recovery, a controller, and settings of all kinds.
#[derive(Clone, Debug)]
struct Setting {
    recovery: Recovery,
    controller: ControllerSpec,
    packets: u64,
    timestamps: bool,
    limited_transmit: bool,
    handshake: bool,
    segments_per_ack: u32,
    receive_window: u32,
    /// Of the receiving application; none if it reads at once.
    read_rate: Option<Rate>,
    /// Of a buffer that is tuned.
    initial_receive_window: Option<u32>,
    /// Of a receiver that controls the window; segments then have timestamps.
    receiver_control: Option<Part>,
    /// One way, in milliseconds.
    delay: u64,
}

fn setting() -> impl Strategy<Value = Setting> {
    let recovery = prop::sample::select(Recovery::ALL);
    let window = prop_oneof![Just(u32::MAX), 1000..30_000_u32];
    let delay = prop_oneof![Just(0_u64), 1..150_u64];
    let reading = prop_oneof![3 => Just(None), 1 => (20_000..2_000_000_u64).prop_map(Some)];
    (recovery, controller(), 1..150_u64, any::<[bool; 6]>(), 1..4_u32, window, delay, reading).prop_map(
        |(recovery, controller, packets, switches, segments_per_ack, receive_window, delay, reading)| {
            let [timestamps, limited_transmit, handshake, tuned, controlled, too] = switches;
            Setting {
                recovery,
                controller,
                packets,
                timestamps: timestamps || controlled && too,
                limited_transmit,
                handshake,
                segments_per_ack,
                receive_window,
                read_rate: reading.map(Rate::from_bits_per_second),
                initial_receive_window: (tuned && receive_window < u32::MAX).then_some(2000),
                receiver_control: (controlled && too).then(|| Part::of(&RECEIVER_CONTROLS[0])),
                delay,
            }
        },
    )
}

impl Setting {
    fn scene(&self) -> Scene {
        let start = Start { initial_window: 4.0, ..Start::default() };
        let mut scene = Scene::file(self.recovery, self.packets).set(|settings| {
            settings.initial_window = start.initial_window;
            settings.timestamps = self.timestamps;
            settings.limited_transmit = self.limited_transmit;
            settings.handshake = self.handshake;
            settings.segments_per_ack = self.segments_per_ack;
            settings.receive_window = self.receive_window;
            settings.read_rate = self.read_rate;
            settings.initial_receive_window = self.initial_receive_window;
            settings.receiver_control.clone_from(&self.receiver_control);
        });
        scene.controller = Some(self.controller.build(&start));
        scene.delay = ms(self.delay);
        scene
    }
}

fn finish(pair: &Pair, packets: u64) {
    if !pair.sender.has_failed() {
        pair.assert_complete(packets);
        let delivered: f64 = pair.acks().iter().map(|ack| ack.delivered).sum();
        // The FIN is with the last. Without SACK a duplicate of a duplicate may be counted once more.
        assert!(delivered >= packets as f64 || pair.acks().is_empty(), "{delivered} of {packets}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_transfer_completes(setting in setting(), fates in prop::collection::vec(fate(), 0..300)) {
        let mut scene = setting.scene();
        scene.chance = chance(fates);
        let pair = scene.play();
        pair.assert_edge_stays();
        finish(&pair, setting.packets);
    }

    /// With SACK nothing is guessed, so each packet is told as delivered once, and only once. A FIN without
    /// room in the receive window after the last data is a packet, too.
    #[test]
    fn sack_counts_exactly(setting in setting(), fates in prop::collection::vec(fate(), 0..300)) {
        let mut scene = Setting { recovery: Recovery::Sack, ..setting.clone() }.scene();
        scene.chance = chance(fates);
        let pair = scene.play();
        let delivered: f64 = pair.acks().iter().map(|ack| ack.delivered).sum();
        let fin_alone = pair.log.iter().any(|entry| matches!(entry.what, What::Fin(_)));
        let packets = (setting.packets + u64::from(fin_alone)) as f64;
        if !pair.sender.has_failed() {
            prop_assert!((delivered - packets).abs() < 0.5, "{} of {}", delivered, packets);
        }
    }

    #[test]
    fn every_paced_transfer_completes(
        setting in setting(),
        window in 0.5..50.0_f64,
        rate in 1.0..1000.0_f64,
        fates in prop::collection::vec(fate(), 0..300),
    ) {
        let mut scene = setting.scene().controller(Fixed::paced(window, rate));
        scene.chance = chance(fates);
        finish(&scene.play(), setting.packets);
    }

    /// An application that stops in the middle of anything: what was sent by then arrives, and the end is known.
    #[test]
    fn every_stop_ends(setting in setting(), stop in 0..20_000_u64, fates in prop::collection::vec(fate(), 0..300)) {
        let mut scene = setting.scene();
        // This network carries any window, and some parameters ask for a thousand times as much per round trip.
        scene.settings.receive_window = setting.receive_window.min(200_000);
        scene.transfer.packets = None;
        scene.transfer.stop = Time::ZERO + ms(stop.min(setting.delay * 20));
        scene.chance = chance(fates);
        let pair = scene.play();
        let unique = pair.data().len() as u64 - pair.counters().retransmissions;
        finish(&pair, unique);
    }
}

/// A network that proptest found: after persistent congestion the window grows again in the round trip of its signal (RFC 9002, B.8), which
/// the contract of controllers refused.
#[test]
fn the_window_grows_at_once_after_persistent_congestion() {
    let setting = Setting {
        recovery: Recovery::Rfc9002,
        controller: "adaptive+bic".parse().unwrap(),
        packets: 59,
        timestamps: true,
        limited_transmit: false,
        handshake: false,
        segments_per_ack: 1,
        receive_window: 2000,
        read_rate: Some(Rate::from_bits_per_second(757_008)),
        initial_receive_window: Some(2000),
        receiver_control: None,
        delay: 13,
    };
    let mut fates = vec![vec![Duration::ZERO]; 142];
    for twice in [26, 35, 110] {
        fates[twice] = vec![Duration::ZERO; 2];
    }
    for lost in [17, 85, 119, 120, 121, 129, 134, 136, 137, 138] {
        fates[lost].clear();
    }
    let mut scene = setting.scene();
    scene.chance = chance(fates);
    finish(&scene.play(), setting.packets);
}

/// The networks of chance reach header prediction, whose results the tests above check with all others.
#[test]
fn networks_of_chance_reach_header_prediction() {
    let mut runner = TestRunner::deterministic();
    let inputs = (setting(), prop::collection::vec(fate(), 0..300));
    let (mut predicted, mut all) = (0, 0);
    for _ in 0..200 {
        let (setting, fates) = inputs.new_tree(&mut runner).unwrap().current();
        let mut scene = setting.scene();
        scene.chance = chance(fates);
        let pair = scene.play();
        (predicted, all) = (predicted + pair.predicted, all + pair.acks().len());
    }
    assert!(predicted > all / 20, "{predicted} of {all}");
}

/// Three losses every 120 packets, in windows of 30 at the most, for a long time. What Fall and Floyd saw once goes on for ever: Reno waits for
/// the timer again and again, the others never do.
#[test]
fn bursts_of_losses_leave_reno_waiting() {
    for recovery in ALL {
        let bursts = (1..40).flat_map(|burst| [0, 2, 4].map(|packet| data(120 * burst + packet)));
        let scene = Scene::file(recovery, 5000).set(|settings| {
            settings.limited_transmit = true;
            settings.receive_window = 30_000;
        });
        let pair = scene.lose(bursts).play();
        pair.assert_complete(5000);
        let timeouts = pair.counters().timeouts;
        if recovery == Recovery::Reno {
            assert!(timeouts > 30, "{timeouts} in 39 bursts");
        } else {
            assert_eq!(timeouts, 0, "{recovery}");
        }
        if matches!(recovery, Recovery::NewReno | Recovery::Sack) {
            assert_eq!(pair.counters().retransmissions, 3 * 39, "{recovery}: nothing needlessly");
            assert_eq!(pair.counters().fast_retransmits, 39, "{recovery}: one reduction for each burst");
        }
    }
}
