//! Every algorithm of the registry, in every combination, through random connections; and the checker
//! through wrong ones.

use ackclock_catalogue::{Entry, Parameter, Part};
use ackclock_congestion::conformance::{
    Call, Connection, Contract, Operation, Sender, checked, compositions, drawn, exercise, exercise_model,
};
use ackclock_congestion::registry::{ControllerSpec, entries};
use ackclock_congestion::{Ack, Congestion, Event, Signal, Start, avoidance, controllers, slow_start};
use ackclock_units::{Duration, Time};
use proptest::prelude::*;

/// The controllers of these names, with parameters within their ranges.
fn specs(names: Vec<String>) -> impl Strategy<Value = ControllerSpec> {
    let bytes = prop_oneof![1 => Just(Vec::new()), 3 => prop::collection::vec(any::<u8>(), 0..60)];
    (prop::sample::select(names), bytes).prop_map(|(name, bytes)| drawn(&name, &bytes).parse().unwrap())
}

fn windowed() -> Vec<String> {
    compositions().into_iter().filter(|name| name.contains('+')).collect()
}

/// The models, with their own times and with shorter ones, which random connections are long enough to see.
fn models() -> impl Strategy<Value = ControllerSpec> {
    let models = controllers::ENTRIES.iter();
    let shorter = |entry: &&Entry| entry.parameters.iter().any(|one| one.name == "probe_rtt_window");
    let short = models.clone().filter(shorter).map(|entry| format!("{}(probe_rtt_window=0.3)", entry.name));
    let short: Vec<ControllerSpec> = short.map(|text| text.parse().unwrap()).collect();
    prop_oneof![
        3 => specs(models.map(|entry| entry.name.to_owned()).collect()),
        1 => prop::sample::select(short),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let flight = || prop_oneof![4 => 0.0..500.0, 1 => Just(f64::INFINITY), 1 => Just(0.0)];
    let acks = prop_oneof![3 => Just(1), 1 => 1_u32..50];
    let told = prop::option::of(-100_i8..100);
    let ack = (acks, 0_u8..8, 0_u32..50_000, 0_u32..100_000, any::<bool>(), 0..6_u8, 0..4_u8, told).prop_map(
        |(acks, delivered, gap, queueing, sampled, closes, limited, told)| Operation::Ack {
            acks,
            delivered,
            gap,
            queueing,
            sampled,
            closes_round: closes == 0,
            window_limited: limited > 0,
            told,
        },
    );
    let congestion = (any::<bool>(), any::<bool>(), any::<bool>(), flight())
        .prop_map(|(marked, restart, late, flight)| Operation::Congestion { marked, restart, late, flight });
    prop_oneof![
        24 => ack,
        2 => congestion,
        1 => flight().prop_map(|flight| Operation::Timeout { flight }),
        1 => Just(Operation::Spurious),
        1 => (0.5..20.0).prop_map(|window| Operation::Idle { window }),
        1 => (0.5..20.0, 0.5..40.0).prop_map(|(window, ssthresh)| Operation::NotValidated { window, ssthresh }),
        1 => (500_u32..9_000).prop_map(|to| Operation::SegmentSize { to }),
    ]
}

fn start() -> impl Strategy<Value = Start> {
    (1.0..50.0, prop_oneof![Just(f64::INFINITY), 1.0..100.0]).prop_map(
        |(initial_window, initial_ssthresh)| Start { initial_window, initial_ssthresh, ..Start::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_controller_keeps_what_all_have_in_common(
        spec in specs(windowed()),
        start in start(),
        operations in prop::collection::vec(operation(), 0..300),
    ) {
        exercise(&|| spec.build(&start), &operations);
    }

    #[test]
    fn every_model_keeps_what_all_have_in_common(
        spec in models(),
        start in start(),
        operations in prop::collection::vec(operation(), 0..300),
    ) {
        exercise_model(&|| spec.build(&start), &operations);
    }

    /// The translation of the fuzzer's bytes into calls.
    #[test]
    fn a_connection_of_any_bytes_can_be_run(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        Connection::from_bytes(&bytes).run();
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

/// Whatever is registered is reached by a fuzzer's bytes, as no name is written down here or there.
#[test]
fn every_name_of_the_registry_is_among_the_connections() {
    let all = compositions();
    for (index, name) in all.iter().enumerate() {
        let first = u16::try_from(index).unwrap().to_be_bytes();
        let plain = Connection::from_bytes(&first).controller.parse::<ControllerSpec>();
        assert_eq!(plain, name.parse(), "{name}");
    }
    for entry in entries() {
        let is_part = |name: &String| name.split('+').any(|part| part == entry.name);
        let (slow_starts, avoidances) = (slow_start::ENTRIES.len(), avoidance::ENTRIES.len());
        let twice = entries().filter(|other| other.name == entry.name).count() > 1;
        let expected = match entry.kind {
            // One name may be of both kinds, and is in the pair of both once.
            _ if twice => slow_starts + avoidances - 1,
            "slow start" => avoidances,
            "avoidance" => slow_starts,
            _ => 1,
        };
        assert_eq!(all.iter().filter(|name| is_part(name)).count(), expected, "{}", entry.name);
    }
}

/// Every parameter is drawn at both ends of its range, unless the value of another one forbids it.
#[test]
fn parameters_are_drawn_at_the_ends_of_their_ranges() {
    let mut ends = 0;
    let standard = entries().find(|entry| entry.name == "standard").map_or(0, |entry| entry.parameters.len());
    for entry in entries() {
        let composition = match entry.kind {
            "slow start" => format!("{}+reno", entry.name),
            "avoidance" => format!("standard+{}", entry.name),
            _ => entry.name.to_owned(),
        };
        // The parameters of the slow start before it stay as they are.
        let before = if entry.kind == "avoidance" { standard } else { 0 };
        for (index, parameter) in entry.parameters.iter().enumerate() {
            for (byte, end) in [(4, parameter.min), (5, parameter.max)] {
                let mut bytes = vec![0; before + index];
                bytes.push(byte);
                let setting = format!("({}={end})", parameter.name);
                if drawn(&composition, &bytes).contains(&setting) {
                    ends += 1;
                } else {
                    assert_another_forbids(entry, parameter, &setting);
                }
            }
        }
    }
    assert!(ends > 100, "{ends}");
}

/// The end of a range is refused by a condition between parameters, whose error names another of them.
fn assert_another_forbids(entry: &'static Entry, parameter: &Parameter, setting: &str) {
    let text = format!("{}{setting}", entry.name);
    let error = Part::read(entry, &text).expect_err("what is accepted is drawn");
    let names = |other: &&Parameter| other.name != parameter.name && error.message().contains(other.name);
    assert!(
        entry.parameters.iter().any(|other| names(&other)),
        "{text} is in the range of {} and refused for no other parameter ({error}): narrow the range",
        parameter.name
    );
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
        suspended: !may_grow,
        advanced: true,
        window_limited: true,
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
    assert!(complaint(&[loss(100), Call::Ack(ack(100, 1, true))]).contains("growth"));
    assert!(complaint(&[loss(100), Call::Ack(ack(120, 1, false))]).contains("next"));
    assert!(complaint(&[loss(100), seen, Call::Ack(ack(101, 1, true))]).contains("growth"));
    assert!(complaint(&[loss(100), loss(100)]).contains("second"));
    assert!(complaint(&[loss(100), seen, loss(110), Call::Ack(ack(110, 1, false))]).contains("two"));
    assert!(!Ack { delivered: 0.0, ..ack(1, 1, true) }.may_grow(), "nothing new grows nothing");
    assert!(complaint(&[Call::Ack(Ack { acks: 0, ..ack(1, 1, true) })]).contains("no acknowledgment"));
    let resized = Call::Event(Event::SegmentSize { from: 1460, to: 0 });
    assert!(complaint(&[resized]).contains("no size"));
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

/// A transport that detects losses after it has reported the acknowledgment, as QUIC stacks do.
#[test]
fn a_signal_may_be_followed_by_an_empty_acknowledgment() {
    let empty = Ack { acks: 0, delivered: 0.0, lost: 1.0, advanced: false, ..ack(100, 1, false) };
    let mut contract = Contract::default();
    for call in [Call::Ack(ack(100, 1, true)), loss(100), Call::Ack(empty), Call::Ack(ack(101, 1, false))] {
        assert_eq!(contract.accept(&call), Ok(()));
    }
    assert!(complaint(&[loss(100), Call::Ack(empty), Call::Ack(ack(101, 1, true))]).contains("growth"));
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
    assert!((copy.decision().cwnd - 5.0).abs() < 1e-12 && (controller.decision().cwnd - 11.0).abs() < 1e-12);
    assert_eq!((record.acks(), record.episodes().len(), record.calls().len()), (1, 0, 1));
}
