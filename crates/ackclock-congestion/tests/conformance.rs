//! Every algorithm of the registry, in every combination, through random lives; and the checker through wrong ones.

use ackclock_congestion::conformance::{
    Call, Contract, Operation, Sender, checked, exercise, exercise_model,
};
use ackclock_congestion::registry::{ControllerSpec, Entry, Kind, entries};
use ackclock_congestion::{Ack, Congestion, Signal, Start};
use ackclock_units::{Duration, Time};
use proptest::prelude::*;

fn combinations() -> Vec<String> {
    let of = |kind| entries().iter().filter(move |entry: &&Entry| entry.kind == kind);
    of(Kind::SlowStart)
        .flat_map(|first| of(Kind::Avoidance).map(move |second| format!("{}+{}", first.name, second.name)))
        .collect()
}

/// The models, with their own times and with shorter ones, which random lives are long enough to see.
fn models() -> Vec<String> {
    let models = entries().iter().filter(|entry| entry.kind == Kind::Model);
    let shorter = |entry: &Entry| {
        let has_times = entry.parameters.iter().any(|parameter| parameter.name == "probe_rtt_window");
        has_times.then(|| format!("{}(probe_rtt_window=0.3)", entry.name))
    };
    models.flat_map(|entry| std::iter::once(entry.name.to_owned()).chain(shorter(entry))).collect()
}

fn operation() -> impl Strategy<Value = Operation> {
    let flight = || prop_oneof![4 => 0.0..500.0, 1 => Just(f64::INFINITY), 1 => Just(0.0)];
    let ack = (0_u8..8, 0_u32..50_000, 0_u32..100_000, any::<bool>(), 0..6_u8, 0..4_u8).prop_map(
        |(delivered, gap, queueing, sampled, closes, limited)| Operation::Ack {
            delivered,
            gap,
            queueing,
            sampled,
            closes_round: closes == 0,
            window_limited: limited > 0,
        },
    );
    let congestion = (any::<bool>(), any::<bool>(), flight())
        .prop_map(|(marked, restart, flight)| Operation::Congestion { marked, restart, flight });
    prop_oneof![
        24 => ack,
        2 => congestion,
        1 => flight().prop_map(|flight| Operation::Timeout { flight }),
        1 => Just(Operation::Spurious),
        1 => (0.5..20.0).prop_map(|window| Operation::Idle { window }),
    ]
}

fn start() -> impl Strategy<Value = Start> {
    (1.0..50.0, prop_oneof![Just(f64::INFINITY), 1.0..100.0]).prop_map(
        |(initial_window, initial_ssthresh)| Start { initial_window, initial_ssthresh, ..Start::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_controller_keeps_what_all_have_in_common(
        spec in prop::sample::select(combinations()),
        start in start(),
        operations in prop::collection::vec(operation(), 0..300),
    ) {
        let spec: ControllerSpec = spec.parse().unwrap();
        exercise(&|| spec.build(&start), &operations);
    }

    #[test]
    fn every_model_keeps_what_all_have_in_common(
        spec in prop::sample::select(models()),
        start in start(),
        operations in prop::collection::vec(operation(), 0..300),
    ) {
        let spec: ControllerSpec = spec.parse().unwrap();
        exercise_model(&|| spec.build(&start), &operations);
    }

    #[test]
    fn the_sender_keeps_the_contract(operations in prop::collection::vec(operation(), 0..300)) {
        let mut contract = Contract::default();
        let mut sender = Sender::default();
        for call in operations.iter().flat_map(|operation| sender.calls(operation)) {
            prop_assert_eq!(contract.accept(&call), Ok(()));
        }
    }
}

fn ack(millis: u64, round: u64, may_grow: bool) -> Ack {
    let rtt = Duration::from_millis(50);
    Ack {
        now: Time::ZERO + Duration::from_millis(millis),
        delivered: 1.0,
        in_flight: 9.0,
        rtt: Some(rtt),
        srtt: rtt,
        min_rtt: rtt,
        round,
        may_grow,
        ..Ack::default()
    }
}

fn loss(millis: u64) -> Call {
    let now = Time::ZERO + Duration::from_millis(millis);
    Call::Congestion(Congestion { now, signal: Signal::Loss, flight: 10.0, restart: false, repeated: false })
}

/// The complaint about the last of these calls; the ones before it are in order.
fn complaint(calls: &[Call]) -> String {
    let mut contract = Contract::default();
    let (last, before) = calls.split_last().unwrap();
    for call in before {
        assert_eq!(contract.accept(call), Ok(()), "{call:?}");
    }
    contract.accept(last).unwrap_err()
}

#[test]
fn a_driver_that_breaks_the_contract_is_told() {
    let seen = Call::Ack(ack(100, 1, false));
    assert!(complaint(&[seen, Call::Ack(ack(99, 1, true))]).contains("time"));
    assert!(complaint(&[seen, Call::Ack(ack(101, 0, true))]).contains("rounds"));
    assert!(complaint(&[loss(100), Call::Ack(ack(100, 1, true))]).contains("may_grow"));
    assert!(complaint(&[loss(100), Call::Ack(ack(120, 1, false))]).contains("next"));
    assert!(complaint(&[loss(100), seen, Call::Ack(ack(101, 1, true))]).contains("may_grow"));
    assert!(complaint(&[loss(100), loss(100)]).contains("second"));
    assert!(complaint(&[loss(100), seen, loss(110), Call::Ack(ack(110, 1, false))]).contains("two"));
    assert!(complaint(&[Call::Ack(Ack { delivered: 0.0, ..ack(1, 1, true) })]).contains("nothing new"));
    assert!(complaint(&[Call::Ack(Ack { min_rtt: Duration::ZERO, ..ack(1, 1, true) })]).contains("zero"));
    assert!(complaint(&[Call::Ack(Ack { lost: f64::NAN, ..ack(1, 1, true) })]).contains("lost"));
    let Call::Congestion(first) = loss(100) else { unreachable!() };
    for (event, word) in [
        (Congestion { signal: Signal::Timeout, ..first }, "restart"),
        (Congestion { signal: Signal::Timeout, restart: true, repeated: true, ..first }, "first"),
        (Congestion { repeated: true, ..first }, "only timeouts"),
        (Congestion { flight: -1.0, ..first }, "flight"),
    ] {
        assert!(complaint(&[Call::Congestion(event)]).contains(word), "{event:?}");
    }
}

#[test]
fn growth_after_the_round_of_the_loss_is_in_order() {
    let mut contract = Contract::default();
    for call in [loss(100), Call::Ack(ack(100, 1, false)), Call::Ack(ack(150, 2, true)), loss(151)] {
        assert_eq!(contract.accept(&call), Ok(()));
    }
}

#[test]
#[should_panic(expected = "time runs backwards")]
fn the_wrapper_stops_at_the_breach() {
    let (mut controller, _) = checked(ControllerSpec::default().build(&Start::default()));
    controller.on_ack(&ack(100, 1, true));
    controller.on_ack(&ack(50, 1, true));
}

#[test]
fn the_record_holds_what_happened_and_not_what_a_copy_was_asked() {
    let (mut controller, record) = checked(ControllerSpec::default().build(&Start::default()));
    controller.on_ack(&ack(100, 1, true));
    let mut copy = controller.clone();
    loss(101).apply(copy.as_mut());
    assert!((copy.cwnd() - 5.0).abs() < 1e-12 && (controller.cwnd() - 11.0).abs() < 1e-12);
    assert_eq!((record.acks(), record.episodes().len(), record.calls().len()), (1, 0, 1));
}
