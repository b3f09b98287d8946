//! One tin: flow queues by a set-associative hash, under DRR++ with parts for hosts.

use ackclock_units::Time;

use super::super::cobalt::{CobaltRule, CobaltState};
use super::hosts::{Hashes, HostPlaces, Hosts, Isolation, QUEUES, ways};
use super::shaper::TinClock;
use crate::RandomStream;
use crate::queue::parts::new_and_old::NewAndOld;
use crate::queue::parts::packet_lists::PacketList;
use crate::queue::parts::turns::Turns;

/// The part of a queue in the rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    /// In no list, and free for any flow.
    #[default]
    Idle,
    /// It has been idle, and has not used up its first quantum.
    Sparse,
    /// Sparse, and empty in the list of old queues, where its deficit is made up.
    SparseWaiting,
    /// A queue with a backlog.
    Bulk,
    /// Empty, while COBALT forgets its drops. It stays reserved for its flow.
    Decaying,
}

/// A queue of a tin.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowQueue {
    pub(super) packets: PacketList,
    pub(super) cobalt: CobaltState,
    /// The bytes that it may still send in this turn (a credit, which sources call deficit).
    pub(super) credit: i64,
    hosts: HostPlaces,
    role: Role,
}

/// A tin.
#[derive(Clone, Debug)]
pub(super) struct Tin {
    pub(super) queues: Vec<FlowQueue>,
    pub(super) rule: CobaltRule,
    /// The clock of its share; none without a shaper.
    pub(super) clock: Option<TinClock>,
    /// The bytes that it may still send in this round, and its bytes per round; without a shaper.
    pub(super) credit: i64,
    pub(super) weight: u32,
    /// The packets that wait in it.
    pub(super) waiting: u32,
    /// Bytes per turn of a queue whose hosts have no other queue.
    quantum: u32,
    isolation: Isolation,
    /// The hash of the flow for which each queue is reserved.
    tags: Vec<u32>,
    hosts: Hosts,
    order: NewAndOld,
    decaying: Turns,
    sparse: u32,
    bulk: u32,
}

/// The list from whose head a queue is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    NewOrOld,
    Decaying,
}

impl Tin {
    /// Bytes of a tin before the first packet.
    pub(super) const MEMORY: usize =
        QUEUES * (size_of::<FlowQueue>() + size_of::<u32>() + Turns::MEMORY) + Hosts::MEMORY;

    pub(super) fn new(
        isolation: Isolation,
        rule: CobaltRule,
        clock: Option<TinClock>,
        (quantum, weight): (u32, u32),
    ) -> Tin {
        Tin {
            queues: vec![FlowQueue::default(); QUEUES],
            rule,
            clock,
            credit: 0,
            weight,
            waiting: 0,
            quantum,
            isolation,
            tags: vec![0; QUEUES],
            hosts: Hosts::new(isolation),
            order: NewAndOld::default(),
            decaying: Turns::new(QUEUES),
            sparse: 0,
            bulk: 0,
        }
    }

    /// True if a queue is in the rotation of sparse or bulk queues. It may be empty.
    pub(super) fn is_active(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// Queues in the bulk rotation.
    pub(super) fn bulk(&self) -> u32 {
        self.bulk
    }

    /// The queue of a packet: the one reserved for its flow, else an idle one of the eight, else the first of them, which it
    /// then shares.
    pub(super) fn place(&mut self, hashes: &Hashes) -> usize {
        let Some(tag) = self.isolation.tag(hashes) else { return 0 };
        let is_idle = |place: &usize| self.queues[*place].role == Role::Idle;
        let own = ways(tag).find(|place| self.tags[*place] == tag);
        if let Some(place) = own.filter(|place| !is_idle(place)) {
            return place;
        }
        let place = own.or_else(|| ways(tag).find(is_idle)).unwrap_or(tag as usize % QUEUES);
        self.tags[place] = tag;
        let queue = &mut self.queues[place];
        let before = std::mem::replace(&mut queue.hosts, self.hosts.places(hashes));
        if queue.role == Role::Bulk {
            self.hosts.remove_bulk(before);
            self.hosts.add_bulk(queue.hosts);
        }
        place
    }

    /// A packet has arrived in a queue.
    pub(super) fn activate(&mut self, place: usize, random: &mut RandomStream) {
        match self.queues[place].role {
            Role::Idle | Role::Decaying => {
                if self.queues[place].role == Role::Decaying {
                    self.decaying.remove(place);
                }
                self.order.add(place);
                self.queues[place].role = Role::Sparse;
                self.sparse += 1;
                self.queues[place].credit = self.share(place, random);
            }
            Role::SparseWaiting => self.make_bulk(place),
            Role::Sparse | Role::Bulk => {}
        }
    }

    fn make_bulk(&mut self, place: usize) {
        self.queues[place].role = Role::Bulk;
        self.sparse -= 1;
        self.bulk += 1;
        self.hosts.add_bulk(self.queues[place].hosts);
    }

    /// Bytes per turn: the quantum, shared with the other queues of the busier of its hosts. The rest of the division counts by
    /// chance, so that the mean is exact.
    fn share(&mut self, place: usize, random: &mut RandomStream) -> i64 {
        let load = self.hosts.load(self.queues[place].hosts);
        let (whole, rest) = (self.quantum / load, self.quantum % load);
        i64::from(whole) + i64::from(rest > 0 && random.below(load) < rest)
    }

    /// The queue to serve next, and its list. A decaying queue comes first if `decays`, and last otherwise.
    pub(super) fn first(&self, decays: bool) -> Option<(usize, List)> {
        let decaying = self.decaying.first().map(|place| (place, List::Decaying));
        let other = self.order.first().map(|(place, _)| (place, List::NewOrOld));
        if decays { decaying.or(other) } else { other.or(decaying) }
    }

    /// Ends the turn of the first queue, which has no credit left: it is old now.
    pub(super) fn end_turn(&mut self, place: usize, random: &mut RandomStream) {
        let queue = &mut self.queues[place];
        if queue.role == Role::Sparse {
            if queue.packets.is_empty() {
                queue.role = Role::SparseWaiting;
            } else {
                self.make_bulk(place);
            }
        }
        self.queues[place].credit += self.share(place, random);
        self.order.defer_first();
    }

    /// Takes the first queue of a list, which is found empty, out of its rotation.
    pub(super) fn retire(&mut self, now: Time, (place, list): (usize, List)) {
        match list {
            List::NewOrOld => self.order.take_first(),
            List::Decaying => self.decaying.take_first(),
        };
        let queue = &mut self.queues[place];
        queue.cobalt.find_empty(&self.rule, now);
        let is_at_rest = queue.cobalt.is_at_rest(now);
        let next = if is_at_rest { Role::Idle } else { Role::Decaying };
        match std::mem::replace(&mut queue.role, next) {
            Role::Sparse | Role::SparseWaiting => self.sparse -= 1,
            Role::Bulk => {
                self.bulk -= 1;
                self.hosts.remove_bulk(queue.hosts);
            }
            Role::Idle | Role::Decaying => {}
        }
        if !is_at_rest {
            self.decaying.append(place);
        }
    }
}
