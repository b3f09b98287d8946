//! Recorded rings of a kernel through the adapter: checked by the contract of controllers, and compared with
//! the second reading, which writes the tables of windows (`tests/differential/test_kernel.py`).

use ackclock_congestion::Start;
use ackclock_congestion::conformance::{Call, checked, compositions};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_kernel::{Event, Factory, Flow, Kind};

const RENO: &[u8] = include_bytes!("recorded/reno.ring");
const BBR3: &[u8] = include_bytes!("recorded/bbr3.ring");

fn events(recorded: &[u8]) -> Vec<Event> {
    assert_eq!(recorded.len() % Event::SIZE, 0);
    recorded.chunks(Event::SIZE).map(|record| Event::read(record).expect("a record")).collect()
}

/// The number of each record with an answer, the window, and the window that a loss would leave, in whole packets.
fn answers(recorded: &[u8], spec: &str) -> Vec<(u32, f64, u32)> {
    let factory = Factory::of(spec).unwrap().checked();
    let mut flow: Option<Flow> = None;
    let mut answers = Vec::new();
    for event in events(recorded) {
        match event.kind {
            Kind::Start => flow = Some(factory.flow(&event)),
            Kind::End => {}
            _ => {
                let flow = flow.as_mut().expect("a flow that began");
                if let Some(answer) = flow.take(&event) {
                    answers.push((event.number, flow.controller().decision().cwnd, answer.after_loss.cwnd));
                }
            }
        }
    }
    answers
}

fn agree(recorded: &[u8], spec: &str, table: &str) {
    let found = answers(recorded, spec);
    let expected: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect())
        .collect();
    assert_eq!(found.len(), expected.len());
    for ((number, cwnd, after_loss), row) in found.into_iter().zip(expected) {
        assert!(
            (f64::from(number) - row[0]).abs() < 0.5,
            "{spec}: record {number}, the table has {}",
            row[0]
        );
        assert!(
            (cwnd / row[1] - 1.0).abs() < 1e-6,
            "{spec}, record {number}: {cwnd}, the table has {}",
            row[1]
        );
        // A window within the ninth digit of a whole packet may be either.
        let whole = row[2].max(1.0);
        assert!(
            f64::from(after_loss) <= whole + 1e-6 && f64::from(after_loss) > whole - 1.0 - 1e-6,
            "{spec}, record {number}: {after_loss}, {whole}"
        );
    }
}

#[test]
fn the_second_reading_gives_the_same_windows() {
    agree(RENO, "reno(limit=inf)", include_str!("recorded/reno.csv"));
    agree(RENO, "cubic", include_str!("recorded/cubic.csv"));
    agree(BBR3, "bbr3", include_str!("recorded/bbr3.csv"));
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/policy.json");
    agree(RENO, policy, include_str!("recorded/policy.csv"));
}

/// Whatever the windows were that the kernel had: the calls keep the contract, with every registered algorithm.
#[test]
fn every_algorithm_is_called_by_the_contract() {
    let mut acks = 0;
    for spec in compositions() {
        for recorded in [RENO, BBR3] {
            let records = events(recorded);
            let spec: ControllerSpec = spec.parse().unwrap();
            let (controller, record) = checked(spec.build(&Start::default()));
            let mut flow = Flow::new(controller, &records[0]);
            records[1..].iter().for_each(|event| {
                flow.take(event);
            });
            acks += record.acks();
        }
    }
    assert!(acks > 20_000, "{acks}");
}

/// The kernel's own sample of the delivery rate has the interval of ours.
#[test]
fn rate_samples_have_the_intervals_of_the_kernel() {
    let records = events(BBR3);
    let spec: ControllerSpec = "bbr3".parse().unwrap();
    let (controller, record) = checked(spec.build(&Start::default()));
    let mut flow = Flow::new(controller, &records[0]);
    let mut samples = 0;
    for event in &records[1..] {
        flow.take(event);
    }
    let acks = records.iter().filter(|event| event.kind == Kind::Ack);
    let calls = record.calls();
    let calls = calls.iter().filter_map(|call| if let Call::Ack(ack) = call { Some(ack) } else { None });
    for (event, ack) in acks.zip(calls.filter(|ack| ack.acks > 0)) {
        assert_eq!(ack.now.as_nanos(), event.now_us * 1000);
        if let (Some(rate), Some(interval)) = (ack.rate, event.interval_us) {
            assert_eq!(rate.interval.as_nanos(), u64::from(interval) * 1000);
            samples += 1;
        }
    }
    assert!(samples > 500, "{samples}");
}
