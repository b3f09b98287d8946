//! A ledger tells a controller of a batch of acknowledgments and losses what it was, in packets of 1000 bytes.

#![expect(clippy::float_cmp, reason = "counts of packets are exact")]

use ackclock_congestion::conformance::{Call, Record, checked};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Start};
use ackclock_quic::Ledger;
use ackclock_units::Time;

const MTU: u64 = 1000;

fn ms(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// A connection under BBR 3, which needs samples, that has sent packets at these times.
fn sent(times: &[u64]) -> (Ledger, Record) {
    let (controller, record) = checked("bbr3".parse::<ControllerSpec>().unwrap().build(&Start::default()));
    let mut ledger = Ledger::new(controller, MTU as u16);
    for time in times {
        ledger.on_sent(ms(*time), MTU);
    }
    (ledger, record)
}

fn last_ack(ledger: &mut Ledger, record: &Record) -> Ack {
    ledger.window();
    let calls = record.calls();
    let latest =
        calls.iter().rev().find_map(|call| if let Call::Ack(ack) = call { Some(*ack) } else { None });
    latest.expect("an acknowledgment was told")
}

/// The first packet is acknowledged at 100 ms. At 210 ms two more are, sent before and after that: the sample is of the later one, since
/// the sending of which two packets were delivered, and not three.
#[test]
fn a_batch_is_sampled_by_its_latest_packet() {
    let (mut ledger, record) = sent(&[0, 50]);
    ledger.on_acked(ms(100), ms(0), MTU);
    ledger.on_end_acks(ms(100), MTU, false);
    ledger.on_sent(ms(110), MTU);
    ledger.on_acked(ms(210), ms(50), MTU);
    ledger.on_acked(ms(210), ms(110), MTU);
    ledger.on_end_acks(ms(210), 0, false);
    let rate = last_ack(&mut ledger, &record).rate.expect("BBR gets samples");
    assert_eq!((rate.prior_delivered, rate.delivered), (1.0, 2.0));
}

/// The losses of a batch are told together, however many reports they come in.
#[test]
fn losses_of_a_batch_add_up() {
    let (mut ledger, record) = sent(&[0, 1, 2, 3]);
    ledger.on_acked(ms(100), ms(3), MTU);
    ledger.on_end_acks(ms(100), 3 * MTU, false);
    ledger.on_lost(ms(100), ms(0), MTU, false);
    ledger.on_lost(ms(100), ms(2), 2 * MTU, false);
    assert_eq!(last_ack(&mut ledger, &record).lost, 3.0);
}
