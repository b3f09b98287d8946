//! Weighted priority: classes that share the link by weights.

use std::sync::Arc;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::classifier::{CLASSES, Classifier};
use crate::queue::parts::deficit::DeficitQueues;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, Occupancy};

/// Classes under deficit round robin with a quantum by weight (Shreedhar and Varghese 1996, section 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedPriority {
    /// The weight of each class, the lowest class first.
    pub weights: [f64; CLASSES],
}

/// The names of the weights.
const WEIGHTS: [&str; CLASSES] =
    ["weight0", "weight1", "weight2", "weight3", "weight4", "weight5", "weight6", "weight7"];

const fn weight(class: usize) -> Parameter {
    let meaning = "its share of the link, relative to the weights of other classes with packets";
    Parameter::new(WEIGHTS[class], Unit::Number, 1.0 + class as f64, (0.01, 1e6), meaning)
}

impl Discipline for WeightedPriority {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "weighted-priority",
        title: "classes share the link by weights, in bytes",
        source: "Shreedhar and Varghese, IEEE/ACM ToN 4(3), 1996",
        parameters: &[weight(0), weight(1), weight(2), weight(3), weight(4), weight(5), weight(6), weight(7)],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> WeightedPriority {
        WeightedPriority { weights: WEIGHTS.map(|name| values.get(name)) }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(WeightedQueues::new(self))
    }
}

/// The bytes per turn of the class with the smallest weight: an Ethernet frame.
const QUANTUM: f64 = 1514.0;

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct WeightedQueues {
    queues: DeficitQueues,
    /// The bytes of each class per turn.
    quanta: [u64; CLASSES],
    classifier: Classifier,
}

impl WeightedQueues {
    pub(crate) fn new(rule: &WeightedPriority) -> WeightedQueues {
        let least = rule.weights.iter().copied().fold(f64::INFINITY, f64::min);
        WeightedQueues {
            queues: DeficitQueues::new(CLASSES),
            quanta: rule.weights.map(|weight| ((QUANTUM * weight / least).round() as u64).max(1)),
            classifier: Classifier::default(),
        }
    }
}

impl Scheduler for WeightedQueues {
    fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.classifier = Classifier(Arc::clone(classes));
    }

    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.queues.enqueue(self.classifier.class(&packet), packet, buffer, discards);
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let WeightedQueues { queues, quanta, .. } = self;
        queues.dequeue(|class| quanta[class])
    }

    fn occupancy(&self) -> Occupancy {
        self.queues.occupancy()
    }
}
