//! RED with In and Out (RIO): packets of two kinds in one queue, each with drop probabilities of its own.

use std::sync::Arc;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Bytes, LinkRate, Time};

use super::red::{Red, RedState};
use crate::packet::header_view::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::arriving::Verdict;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::classifier::Classifier;
use crate::queue::parts::fifo::Fifo;
use crate::queue::parts::short_flows::{self, ShortFlows};
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy, RandomStream};

/// RIO (Clark and Fang 1998): an Out packet is judged by RED with the average length of the whole queue, an In packet by RED with the
/// average number of In packets. In RIO-PS (Guo and Matta 2001) the first packets of each flow are In. With `marked`, a
/// [`Marker`](crate::Marker) on the way has marked them; with `short`, this router counts them itself, as edge and core
/// in one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rio {
    /// The rule for In packets, by the average number of In packets that wait.
    pub within: Red,
    /// The rule for Out packets, by the average number of all packets that wait.
    pub out: Red,
    /// How many packets at the beginning of a flow are In; zero if the class of the flow decides.
    pub short: u32,
    /// The number of flows whose packets are counted.
    pub flows: u32,
    /// True if exactly those packets are In that a router on the way has marked In.
    pub marked: bool,
}

const fn threshold(name: &'static str, default: f64, meaning: &'static str) -> Parameter {
    Parameter::new(name, Unit::Packets, default, (0.0, 1e9), meaning)
}

impl Discipline for Rio {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "rio",
        title: "RED with packets that are In and Out; In are those of short flows (RIO-PS), or of flows with a class",
        source: "Clark and Fang, IEEE/ACM ToN 6(4), 1998; Guo and Matta, ICNP 2001; burst-tcp, 3.3.3",
        parameters: &[
            threshold("in_min", 10.0, "the average number of In packets below which none of them is dropped"),
            threshold("in_max", 30.0, "the average number of In packets from which all of them are dropped"),
            Parameter::new("in_p", Unit::Number, 0.02, (0.0, 1.0), "the probability of In packets at in_max"),
            threshold("out_min", 5.0, "the average length below which no Out packet is dropped"),
            threshold("out_max", 15.0, "the average length from which all Out packets are dropped"),
            Parameter::new(
                "out_p",
                Unit::Number,
                0.1,
                (0.0, 1.0),
                "the probability of Out packets at out_max",
            ),
            Parameter::new(
                "weight",
                Unit::Number,
                0.002,
                (1e-9, 1.0),
                "the weight of the current length in either average (w_q)",
            ),
            Parameter::new(
                "short",
                Unit::Packets,
                short_flows::SHORT,
                (0.0, 1e9),
                "packets of a flow that are In, from its first on; 0: In are flows with a priority above 0",
            ),
            short_flows::FLOWS,
            Parameter::switch(
                "marked",
                false,
                "1: In are the packets that a router on the way has marked In, whatever short",
            ),
            Parameter::switch(
                "ecn",
                true,
                "1: ECN-capable packets are marked, up to the length from which all are dropped",
            ),
        ],
        check: Some(|values| {
            for (min, max) in [("in_min", "in_max"), ("out_min", "out_max")] {
                let (least, most) = (values.get(min), values.get(max));
                if least >= most {
                    return Err(format!("{min} is below {max}, which is {most}; found {least}"));
                }
            }
            Ok(())
        }),
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Rio {
        let rule = |min: &str, max: &str, p: &str| Red {
            min: values.get(min),
            max: values.get(max),
            max_p: values.get(p),
            weight: values.get("weight"),
            gentle: false,
            marks: values.is_on("ecn"),
            ..Red::default()
        };
        Rio {
            within: rule("in_min", "in_max", "in_p"),
            out: rule("out_min", "out_max", "out_p"),
            short: values.get("short") as u32,
            flows: values.get("flows") as u32,
            marked: values.is_on("marked"),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(RioQueue::new(self, site.rate, site.random()))
    }
}

/// The state of one queue.
#[derive(Clone, Debug)]
pub(crate) struct RioQueue {
    /// `None` if the class of the flow decides.
    first: Option<ShortFlows>,
    marked: bool,
    within: RedState,
    out: RedState,
    waiting: Fifo,
    /// The In packets among those waiting.
    waiting_in: Occupancy,
    classifier: Classifier,
    /// The time since which the transmitter has been idle; [`Time::MAX`] while it is not.
    idle_since: Time,
}

impl RioQueue {
    pub(crate) fn new(rule: &Rio, rate: LinkRate, mut random: RandomStream) -> RioQueue {
        let usual = rate.transmission_time(Bytes::new(u64::from(rule.out.packet)));
        RioQueue {
            first: (rule.short > 0).then(|| ShortFlows::new(rule.short, rule.flows)),
            marked: rule.marked,
            within: RedState::new(rule.within, usual, RandomStream::new(random.bits(), "in")),
            out: RedState::new(rule.out, usual, random),
            waiting: Fifo::default(),
            waiting_in: Occupancy::default(),
            classifier: Classifier::default(),
            idle_since: Time::ZERO,
        }
    }

    fn judge(&mut self, now: Time, packet: &QueuedPacket) -> Verdict {
        let free_at = self.idle_since;
        let all = self.waiting.occupancy();
        self.out.update_average(all, now, free_at);
        if packet.protected {
            self.within.update_average(self.waiting_in, now, free_at);
            self.within.decide(packet.size, self.waiting_in)
        } else {
            self.out.decide(packet.size, all)
        }
    }
}

impl Scheduler for RioQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    /// True if the packet is In.
    fn protects(&mut self, now: Time, packet: &QueuedPacket, header: &HeaderView) -> bool {
        match &mut self.first {
            _ if self.marked => header.in_profile,
            Some(first) => first.is_among_the_first(now, packet.flow, header.opens),
            None => self.classifier.class(packet) > 0,
        }
    }

    fn enqueue(
        &mut self,
        now: Time,
        mut packet: QueuedPacket,
        buffer: BufferSize,
        discards: &mut Vec<Discard>,
    ) {
        let verdict = self.judge(now, &packet);
        self.idle_since = Time::MAX;
        let Some(marked) = verdict.marks(packet.ecn) else {
            discards.push((packet, DropReason::Early));
            return;
        };
        if !buffer.admits(packet.size, self.waiting.occupancy()) {
            discards.push((packet, DropReason::Queue));
            return;
        }
        packet.marked |= marked;
        if packet.protected {
            self.waiting_in = self.waiting_in.with(packet.size);
        }
        self.waiting.push(packet);
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let packet = self.waiting.pop()?;
        if packet.protected {
            self.waiting_in = self.waiting_in.without(packet.size);
        }
        Some(packet)
    }

    fn on_idle(&mut self, since: Time) {
        self.idle_since = since;
    }

    fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.classifier = Classifier(Arc::clone(classes));
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting.occupancy()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Rate;

    use super::*;
    use crate::Ecn;
    use crate::queue::testing::{offer, queued};

    fn queue(rule: &Rio) -> RioQueue {
        let rate = LinkRate::from(Rate::from_bits_per_second(8_000_000));
        RioQueue::new(rule, rate, RandomStream::new(1, "test"))
    }

    /// Fills the queue with as many packets of a flow of its own.
    fn fill(queue: &mut RioQueue, packets: u32) {
        for slot in 0..packets {
            offer(queue, BufferSize::Unlimited, Time::ZERO, slot, 1000, 0);
        }
    }

    /// The edge counts: the first packets of a flow are In, the others Out, by flow.
    #[test]
    fn the_first_packets_of_each_flow_are_in() {
        let mut queue = queue(&Rio { short: 3, ..Rio::default() });
        for flow in 0..3 {
            let kinds =
                [0; 5].map(|place| offer(&mut queue, BufferSize::Unlimited, Time::ZERO, 0, flow, place).0);
            assert_eq!(kinds, [true, true, true, false, false]);
        }
    }

    /// A user's next connection is a new flow, whatever the previous one has sent.
    #[test]
    fn a_syn_begins_the_count_anew() {
        let mut queue = queue(&Rio { short: 2, ..Rio::default() });
        let mut is_in = |opens| {
            let packet = queued(0, Time::ZERO, Ecn::NotCapable);
            queue.protects(Time::ZERO, &packet, &HeaderView { opens, ..HeaderView::default() })
        };
        for _ in 0..2 {
            assert_eq!([true, false, false].map(&mut is_in), [true, true, false]);
        }
    }

    /// The core router takes the edge's word, whatever it would count itself.
    #[test]
    fn marked_packets_are_in() {
        let mut queue = queue(&Rio { short: 2, marked: true, ..Rio::default() });
        let mut is_in = |in_profile| {
            let packet = queued(0, Time::ZERO, Ecn::NotCapable);
            queue.protects(Time::ZERO, &packet, &HeaderView { in_profile, ..HeaderView::default() })
        };
        assert_eq!([false, true, true, true].map(&mut is_in), [false, true, true, true]);
    }

    /// Clark and Fang 1998: In packets are judged by the number of In packets alone. A queue full of Out packets drops every
    /// Out packet and no In packet.
    #[test]
    fn a_queue_of_out_packets_drops_no_in_packet() {
        let never = Red { min: 1e6, max: 2e6, ..Red::default() };
        let out = Red { min: 5.0, max: 15.0, weight: 1.0, gentle: false, ..Red::default() };
        let within = Red { min: 10.0, max: 30.0, weight: 1.0, gentle: false, ..Red::default() };
        let mut queue = queue(&Rio { within, out: never, short: 4, flows: 16, marked: false });
        fill(&mut queue, 40);
        queue.out =
            RedState::new(out, ackclock_units::Duration::from_millis(1), RandomStream::new(1, "test"));
        let kept = |queue: &mut RioQueue, flow| {
            let (_, discards) = offer(queue, BufferSize::Unlimited, Time::ZERO, 99, flow, 0);
            discards.is_empty()
        };
        assert_eq!([0; 4].map(|_| kept(&mut queue, 1)), [true; 4], "the first four are In");
        assert_eq!([0; 4].map(|_| kept(&mut queue, 1)), [false; 4], "those after them are Out");
        assert_eq!([0; 4].map(|_| kept(&mut queue, 2)), [true; 4]);
    }

    /// Out packets are judged by the whole queue: In packets push them out of it, not the reverse.
    #[test]
    fn in_packets_count_for_out_packets() {
        let out = Red { min: 5.0, max: 15.0, weight: 1.0, gentle: false, ..Red::default() };
        let never = Red { min: 1e6, max: 2e6, ..Red::default() };
        let mut queue = queue(&Rio { within: never, out, short: 40, flows: 16, marked: false });
        fill(&mut queue, 40);
        let (is_in, discards) = offer(&mut queue, BufferSize::Unlimited, Time::ZERO, 99, 1000, 0);
        assert!(!is_in && discards.len() == 1);
    }
}
