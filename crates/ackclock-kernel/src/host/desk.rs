//! The controllers of one algorithm's flows: records in, answers out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hdrhistogram::Histogram;

use super::clock::now_ns;
use super::datapath::Datapath;
use super::report::{Latency, Report};
use crate::answer::Answer;
use crate::event::{Event, Kind};
use crate::factory::Factory;
use crate::flow::{Counts, Flow};

/// Sees each record before it is taken, with the flow it is of, if that is known.
pub type Observer = Box<dyn FnMut(&[u8], &Event, Option<&Flow>) + Send>;

/// Flows whose counts are kept after their end.
const KEPT: usize = 10_000;

/// Longer delays count as this one.
const LONGEST_DELAY_NS: u64 = 60_000_000_000;

/// A flow and its answer in force.
struct Seat {
    flow: Flow,
    generation: u32,
    port: u16,
    published: Option<Answer>,
}

pub(super) struct Desk {
    name: String,
    factory: Factory,
    datapath: Datapath,
    /// By slot.
    seats: Vec<Option<Seat>>,
    observer: Option<Observer>,
    to_controller: Histogram<u64>,
    in_controller: Histogram<u64>,
    failed: u64,
    ended: Vec<(u16, Counts)>,
}

impl Desk {
    pub fn open(name: &str, factory: Factory, observer: Option<Observer>) -> Result<Desk, String> {
        let delays = || Histogram::new_with_max(LONGEST_DELAY_NS, 3).expect("three digits are few enough");
        Ok(Desk {
            name: name.to_owned(),
            factory,
            datapath: Datapath::attach(name)?,
            seats: Vec::new(),
            observer,
            to_controller: delays(),
            in_controller: delays(),
            failed: 0,
            ended: Vec::new(),
        })
    }

    pub fn datapath(&self) -> &Datapath {
        &self.datapath
    }

    /// Takes a record. A controller that panics is given up, and its flow goes on as Reno.
    pub fn take(&mut self, record: &[u8]) {
        let Some(event) = Event::read(record) else { return };
        let came = now_ns();
        let slot = event.slot as usize;
        if self.seats.len() <= slot {
            self.seats.resize_with(slot + 1, || None);
        }
        if let Some(observer) = &mut self.observer {
            let seat = self.seats[slot].as_ref().filter(|seat| seat.generation == event.generation);
            observer(record, &event, seat.map(|seat| &seat.flow));
        }
        if catch_unwind(AssertUnwindSafe(|| self.answer(&event))).is_err() {
            eprintln!(
                "ackclock-kernel: the controller of port {} failed; the flow goes on as Reno",
                event.port
            );
            self.datapath.answers.give_up(&event);
            self.failed += 1;
            self.end(slot);
        }
        if event.kind == Kind::Ack {
            self.to_controller.saturating_record(came.saturating_sub(event.written_ns));
            self.in_controller.saturating_record(now_ns().saturating_sub(came));
        }
    }

    fn answer(&mut self, event: &Event) {
        let slot = event.slot as usize;
        match event.kind {
            Kind::Start => {
                self.end(slot);
                let flow = self.factory.flow(event);
                self.seats[slot] =
                    Some(Seat { flow, generation: event.generation, port: event.port, published: None });
            }
            Kind::End => return self.end(slot),
            _ => {}
        }
        let seat = self.seats[slot].as_mut().filter(|seat| seat.generation == event.generation);
        let Some(seat) = seat else { return };
        let answer = seat.flow.take(event);
        if let Some(answer) = answer
            && seat.published != Some(answer)
        {
            seat.published = Some(answer);
            self.datapath.answers.publish(event, &answer);
        }
    }

    fn end(&mut self, slot: usize) {
        if let Some(seat) = self.seats[slot].take()
            && self.ended.len() < KEPT
        {
            self.ended.push((seat.port, seat.flow.counts().clone()));
        }
    }

    /// The account so far.
    pub fn report(&self) -> Report {
        let counters = self.datapath.counters();
        let per = |sum: u64| sum as f64 / counters.applied.max(1) as f64;
        let going_on = self.seats.iter().flatten().map(|seat| (seat.port, seat.flow.counts().clone()));
        Report {
            name: self.name.clone(),
            flows: [counters.flows, counters.refused],
            acks: [counters.acks, counters.alone],
            dropped: counters.dropped,
            torn: counters.torn,
            to_controller: Latency::of(&self.to_controller),
            in_controller: Latency::of(&self.in_controller),
            until_applied: per(counters.lag_ns) / 1e3,
            acks_late: per(counters.acks_late),
            failed: self.failed,
            counts: self.ended.iter().cloned().chain(going_on).collect(),
        }
    }
}
