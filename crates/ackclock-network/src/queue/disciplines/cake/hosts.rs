//! Flows and hosts: what shares a queue, and how many busy queues each host has.

/// The packets that share a queue, and those between whom the bandwidth is shared.
///
/// Exhaustive: tc-cake(8) has these eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// All packets of a tin share one queue.
    FlowBlind,
    /// A queue for each host that sends.
    SrcHost,
    /// A queue for each host that receives.
    DstHost,
    /// A queue for each pair of hosts.
    Hosts,
    /// A queue for each flow.
    Flows,
    /// A queue for each flow; hosts that send have equal parts.
    DualSrcHost,
    /// A queue for each flow; hosts that receive have equal parts.
    DualDstHost,
    /// A queue for each flow; no host at either end has more than its part.
    #[default]
    TripleIsolate,
}

impl Isolation {
    pub(super) const NAMES: &[&str] = &[
        "flowblind",
        "srchost",
        "dsthost",
        "hosts",
        "flows",
        "dual-srchost",
        "dual-dsthost",
        "triple-isolate",
    ];
    pub(super) const ALL: [Isolation; 8] = [
        Isolation::FlowBlind,
        Isolation::SrcHost,
        Isolation::DstHost,
        Isolation::Hosts,
        Isolation::Flows,
        Isolation::DualSrcHost,
        Isolation::DualDstHost,
        Isolation::TripleIsolate,
    ];

    /// True if hosts that send have equal parts.
    const fn counts_sources(self) -> bool {
        matches!(self, Isolation::DualSrcHost | Isolation::TripleIsolate)
    }

    /// True if hosts that receive have equal parts.
    const fn counts_destinations(self) -> bool {
        matches!(self, Isolation::DualDstHost | Isolation::TripleIsolate)
    }

    /// The hash that decides on the queue of a packet; none if there is one queue.
    pub(super) const fn tag(self, hashes: &Hashes) -> Option<u32> {
        match self {
            Isolation::FlowBlind => None,
            Isolation::SrcHost => Some(hashes.source),
            Isolation::DstHost => Some(hashes.destination),
            Isolation::Hosts => Some(hashes.source ^ hashes.destination),
            _ => Some(hashes.flow),
        }
    }
}

/// The hashes of a packet's flow and of its hosts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashes {
    pub(super) flow: u32,
    pub(super) source: u32,
    pub(super) destination: u32,
}

/// The queues of a tin, and the entries of its tables of hosts.
pub(super) const QUEUES: usize = 1024;

/// The queues among which a flow has its choice.
const WAYS: usize = 8;

/// The places of a hash in a table of [`QUEUES`]: its own, then the others of its set in turn.
pub(super) fn ways(tag: u32) -> impl Iterator<Item = usize> + Clone {
    let home = tag as usize % QUEUES;
    let set = home - home % WAYS;
    (0..WAYS).map(move |way| set + (home + way) % WAYS)
}

/// Numbers of busy queues by host.
#[derive(Clone, Debug)]
struct HostTable {
    tags: Vec<u32>,
    /// The queues of each host in the bulk rotation.
    bulk: Vec<u16>,
}

impl HostTable {
    fn new() -> HostTable {
        HostTable { tags: vec![0; QUEUES], bulk: vec![0; QUEUES] }
    }

    /// The place of a host: one that it has, else one whose host has no queue in the bulk rotation, else its own, with the
    /// host that is there.
    fn place(&mut self, tag: u32) -> u16 {
        let own = ways(tag).find(|place| self.tags[*place] == tag);
        let free = || ways(tag).find(|place| self.bulk[*place] == 0);
        let place = own.or_else(free).unwrap_or(tag as usize % QUEUES);
        self.tags[place] = tag;
        place as u16
    }
}

/// The places of a queue's hosts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostPlaces {
    source: u16,
    destination: u16,
}

/// The hosts of a tin whose parts are equal.
#[derive(Clone, Debug)]
pub(super) struct Hosts {
    sources: Option<HostTable>,
    destinations: Option<HostTable>,
}

impl Hosts {
    pub(super) fn new(isolation: Isolation) -> Hosts {
        Hosts {
            sources: isolation.counts_sources().then(HostTable::new),
            destinations: isolation.counts_destinations().then(HostTable::new),
        }
    }

    /// Bytes of the tables.
    pub(super) const MEMORY: usize = 2 * QUEUES * (size_of::<u32>() + size_of::<u16>());

    /// The places of a packet's hosts.
    pub(super) fn places(&mut self, hashes: &Hashes) -> HostPlaces {
        let place = |table: &mut Option<HostTable>, tag| table.as_mut().map_or(0, |table| table.place(tag));
        HostPlaces {
            source: place(&mut self.sources, hashes.source),
            destination: place(&mut self.destinations, hashes.destination),
        }
    }

    /// The numbers of queues in the bulk rotation of a queue's hosts.
    fn counts(&mut self, places: HostPlaces) -> impl Iterator<Item = &mut u16> {
        let HostPlaces { source, destination } = places;
        let sources = self.sources.as_mut().map(|table| &mut table.bulk[usize::from(source)]);
        let destinations = self.destinations.as_mut().map(|table| &mut table.bulk[usize::from(destination)]);
        sources.into_iter().chain(destinations)
    }

    /// A queue enters the bulk rotation.
    pub(super) fn add_bulk(&mut self, places: HostPlaces) {
        self.counts(places).for_each(|count| *count += 1);
    }

    /// A queue leaves the bulk rotation.
    pub(super) fn remove_bulk(&mut self, places: HostPlaces) {
        self.counts(places).for_each(|count| *count = count.saturating_sub(1));
    }

    /// The number among which a queue's host shares its part: the queues in the bulk rotation of the one that has more.
    pub(super) fn load(&mut self, places: HostPlaces) -> u32 {
        self.counts(places).fold(1, |most, count| most.max(u32::from(*count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_eight_places_of_its_set() {
        let places: Vec<usize> = ways(1024 * 5 + 21).collect();
        assert_eq!(places, [21, 22, 23, 16, 17, 18, 19, 20]);
    }

    /// Two hosts of one place have counts of their own; the load is that of the busier end.
    #[test]
    fn hosts_are_counted_apart() {
        let mut hosts = Hosts::new(Isolation::TripleIsolate);
        let of = |source, destination| Hashes { flow: 0, source, destination };
        let one = hosts.places(&of(8, 40));
        (0..3).for_each(|_| hosts.add_bulk(one));
        let other = hosts.places(&of(8 + QUEUES as u32, 41));
        assert_eq!((one.source, other.source, other.destination), (8, 9, 41));
        hosts.add_bulk(other);
        assert_eq!((hosts.load(one), hosts.load(other)), (3, 1));
        let mixed = hosts.places(&of(8, 41));
        assert_eq!(hosts.load(mixed), 3);
        hosts.remove_bulk(one);
        assert_eq!(hosts.load(one), 2);
    }

    #[test]
    fn only_the_ends_that_share_are_counted() {
        for (isolation, load) in
            [(Isolation::Flows, 1), (Isolation::DualSrcHost, 4), (Isolation::DualDstHost, 1)]
        {
            let mut hosts = Hosts::new(isolation);
            for destination in 0..4 {
                let places = hosts.places(&Hashes { flow: destination, source: 77, destination });
                hosts.add_bulk(places);
            }
            let places = hosts.places(&Hashes { flow: 0, source: 77, destination: 0 });
            assert_eq!(hosts.load(places), load, "{isolation:?}");
        }
    }
}
