//! The controllers of one algorithm's flows: records in, answers out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hdrhistogram::Histogram;

use super::clock::now_ns;
use super::datapath::Datapath;
use super::report::{Latency, Report};
use super::watchdog::Call;
use crate::answer::Answer;
use crate::event::{Event, Kind};
use crate::factory::Factory;
use crate::flow::{Counts, Flow};

/// Called with each record before it is processed, and with its flow if that is known.
pub type Observer = Box<dyn FnMut(&[u8], &Event, Option<&Flow>) + Send>;

/// Flows whose counts are kept after their end.
const KEPT: usize = 10_000;

/// Longer delays count as this one.
const LONGEST_DELAY_NS: u64 = 60_000_000_000;

/// A flow and its answer in force.
struct Slot {
    flow: Flow,
    generation: u32,
    port: u16,
    published: Option<Answer>,
}

/// The controllers of one algorithm, by the slots that the kernel gives its flows.
pub(super) struct Controllers {
    name: String,
    factory: Factory,
    datapath: Datapath,
    slots: Vec<Option<Slot>>,
    observer: Option<Observer>,
    to_controller: Histogram<u64>,
    in_controller: Histogram<u64>,
    failed: u64,
    ended: Vec<(u16, Counts)>,
    call: Arc<Call>,
}

impl Controllers {
    pub fn open(name: &str, factory: Factory, observer: Option<Observer>) -> Result<Controllers, String> {
        let delays = || Histogram::new_with_max(LONGEST_DELAY_NS, 3).expect("three digits are few enough");
        Ok(Controllers {
            name: name.to_owned(),
            factory,
            datapath: Datapath::attach(name)?,
            slots: Vec::new(),
            observer,
            to_controller: delays(),
            in_controller: delays(),
            failed: 0,
            ended: Vec::new(),
            call: Arc::default(),
        })
    }

    /// The call of a controller that may be under way.
    pub fn call(&self) -> Arc<Call> {
        Arc::clone(&self.call)
    }

    pub fn datapath(&self) -> &Datapath {
        &self.datapath
    }

    /// Takes a record. A controller that panics is given up, and its flow continues as Reno.
    pub fn take(&mut self, record: &[u8]) {
        let Some(event) = Event::read(record) else { return };
        let came = now_ns();
        let slot = event.slot as usize;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, || None);
        }
        if let Some(observer) = &mut self.observer {
            let slot = self.slots[slot].as_ref().filter(|slot| slot.generation == event.generation);
            observer(record, &event, slot.map(|slot| &slot.flow));
        }
        let call = Arc::clone(&self.call);
        let answered = catch_unwind(AssertUnwindSafe(|| call.make(event.port, || self.answer(&event))));
        if answered.is_err() {
            call.end();
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
                self.slots[slot] =
                    Some(Slot { flow, generation: event.generation, port: event.port, published: None });
            }
            Kind::End => return self.end(slot),
            _ => {}
        }
        let slot = self.slots[slot].as_mut().filter(|slot| slot.generation == event.generation);
        let Some(slot) = slot else { return };
        let answer = slot.flow.take(event);
        if let Some(answer) = answer
            && slot.published != Some(answer)
        {
            slot.published = Some(answer);
            self.datapath.answers.publish(event, &answer);
        }
    }

    fn end(&mut self, slot: usize) {
        if let Some(slot) = self.slots[slot].take()
            && self.ended.len() < KEPT
        {
            self.ended.push((slot.port, slot.flow.counts().clone()));
        }
    }

    /// The account so far.
    pub fn report(&self) -> Report {
        let counters = self.datapath.counters();
        let per = |sum: u64| sum as f64 / counters.applied.max(1) as f64;
        let going_on = self.slots.iter().flatten().map(|slot| (slot.port, slot.flow.counts().clone()));
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
