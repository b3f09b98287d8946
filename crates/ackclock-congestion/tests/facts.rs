//! The declared facts as numbers, which other languages get, and the facts that the conformance suite drives controllers by.

use std::collections::BTreeSet;

use ackclock_congestion::conformance::{Call, Operation, Sender};
use ackclock_congestion::{
    Ack, Congestion, Event, Fact, Field, Kind, LossSample, Needs, RateSample, Record, Signal,
};
use ackclock_units::{PacketRate, Time};

fn numbers(fact: &impl Fact) -> Vec<f64> {
    let mut numbers = Vec::new();
    fact.put(&mut numbers);
    numbers
}

fn again<T: Fact>(fact: &T) -> T {
    let mut numbers = numbers(fact).into_iter();
    T::take(&mut || numbers.next().unwrap())
}

/// An acknowledgment that lacks nothing, of which every fact is 2 or true.
fn full() -> Ack {
    Ack::take(&mut || 2.0)
}

#[test]
fn records_are_read_back_from_their_numbers() {
    assert_eq!(again(&full()), full());
    assert!(full().loss.is_some() && full().feedback == Some(PacketRate(2.0)));
    assert_eq!(again(&Ack::default()), Ack::default());
    for signal in Signal::ALL {
        let congestion = Congestion { signal: *signal, flight: 3.0, restart: true, ..Congestion::default() };
        assert_eq!(again(&congestion), congestion);
    }
}

#[test]
fn absent_values_take_one_number_and_times_are_in_seconds() {
    let names: Vec<&str> = Ack::FIELDS.iter().map(|(name, _)| *name).collect();
    assert_eq!((names[0], names.last().copied()), ("now", Some("may_grow")));
    assert_eq!(numbers(&Ack::default()).len(), names.len());
    assert_eq!(full().now, Time::from_nanos(2_000_000_000));
    assert!((numbers(&full())[0] - 2.0).abs() < 1e-12);
    assert_eq!(numbers(&full()).len(), names.len() + 2 + RateSample::FIELDS.len() + LossSample::FIELDS.len());
}

#[test]
fn events_have_their_method_and_arguments() {
    let event = Event::SegmentSize { from: 1000, to: 1500 };
    assert_eq!(event.call(), ("on_segment_size", vec![1000.0, 1500.0]));
    assert_eq!(Event::Spurious.call(), ("on_spurious", vec![]));
    let methods: Vec<&str> = Event::KINDS.iter().map(|kind| kind.method).collect();
    assert_eq!(
        methods,
        ["on_spurious", "on_idle_restart", "on_not_validated", "on_deadline", "on_segment_size"]
    );
}

#[test]
fn needs_are_what_a_class_states_by_name() {
    let needs = Needs::stated(|name| name == "l4s");
    assert_eq!(needs, Needs { samples: true, pacing: true, l4s: true, ..Needs::default() });
}

/// The names of numbers in the order in which they are put, those of absent values left out.
fn named(
    fields: &[Field],
    at: &str,
    numbers: &mut impl Iterator<Item = f64>,
    seen: &mut BTreeSet<(String, u64)>,
) {
    for (name, kind) in fields {
        let (name, kind) = (format!("{at}{name}"), *kind);
        let mut kind = kind;
        if let Kind::Optional(inner) = kind {
            let is_there = numbers.next().unwrap();
            seen.insert((name.clone(), is_there.to_bits()));
            if is_there == 0.0 {
                continue;
            }
            kind = *inner;
        }
        match kind {
            Kind::Record(_, fields) => named(fields, &format!("{name}."), numbers, seen),
            _ => {
                seen.insert((name, numbers.next().unwrap().to_bits()));
            }
        }
    }
}

/// A fact that never changed would say nothing about the controllers that read it.
#[test]
fn every_fact_of_an_acknowledgment_changes_in_the_conformance_suite() {
    let operations = (0..60_u32).map(|step| match step % 10 {
        7 => Operation::Congestion { marked: step % 20 == 7, restart: false, late: false, flight: 5.0 },
        _ => Operation::Ack {
            acks: 1 + step % 3,
            delivered: (step % 4) as u8,
            gap: 10_000 + 1_000 * step,
            queueing: if step == 30 { 0 } else { 1000 * (60 - step) },
            sampled: step % 3 > 0,
            closes_round: step % 4 == 0,
            window_limited: step % 5 > 0,
            told: (step % 6 > 0).then_some(step as i8),
        },
    });
    let mut sender = Sender::default();
    let mut seen = BTreeSet::new();
    for call in operations.flat_map(|operation| sender.calls(&operation)) {
        let Call::Ack(ack) = call else { continue };
        named(Ack::FIELDS, "", &mut numbers(&ack).into_iter(), &mut seen);
    }
    let constant = |name: &str| seen.iter().filter(|(seen, _)| seen == name).count() < 2;
    // A loss is a packet of a window of ten here, and no sender is short of data where it finds one.
    let known = ["loss.app_limited", "loss.lost", "loss.tx_in_flight", "rate.lost", "rate.tx_in_flight"];
    let names: BTreeSet<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
    let silent: Vec<&str> = names.into_iter().filter(|name| constant(name)).collect();
    assert_eq!(silent, known);
}
