//! Tunnels: packets that have an outer header from the beginning of a link direction to its end (RFC 6040).

use ackclock_catalogue::{Entry, Parameter, Part, Unit};

use crate::Ecn;
use crate::packet::header::PacketHeader;
use crate::packet::slot::SlotId;

const KIND: &str = "tunnel";

const OVERHEAD: &[Parameter] =
    &[Parameter::new("overhead", Unit::Bytes, 20.0, (0.0, 65_535.0), "bytes of the outer header")];

/// Lists the modes: their entries, and by the same index the two ends of each.
macro_rules! modes {
    ($($ingress:ident -> $egress:ident: $name:literal, $title:literal, $source:literal;)+) => {
        /// The catalogue entries of the modes of tunnels.
        pub static ENTRIES: &[Entry] = &[$(
            Entry { kind: KIND, name: $name, title: $title, source: $source, parameters: OVERHEAD, ..Entry::PLAIN }
        ),+];

        static ENDS: &[(Ingress, Egress)] = &[$((Ingress::$ingress, Egress::$egress)),+];
    };
}

modes! {
    Copies -> Combines: "normal", "the outer header has the packet's ECN field, and a mark in it arrives", "RFC 6040, 4.1 and 4.2";
    Clears -> Combines: "compatibility", "the outer header is not ECN-capable, so that queues drop where they would mark", "RFC 6040, 4.1 and 4.2";
    Enables -> Combines: "capable", "the outer header is ECN-capable for all packets, and those that are not themselves are dropped if marked", "RFC 6040, 4.2; RFC 9599, 4";
    Copies -> IgnoresOuter: "mark-losing", "broken: the outer header has the packet's ECN field, and a mark in it is lost", "RFC 9743, 6.2";
    Clears -> TakesOuter: "bleaching", "broken: the outer header is not ECN-capable, and the packet is no more after it", "RFC 9743, 6.2";
    Renames -> TakesOuter: "re-marking", "broken: packets that are ECT(0) become ECT(1)", "RFC 9000, 13.4.2.1";
    Marks -> TakesOuter: "all-marking", "broken: all packets become CE, whether they are ECN-capable or not", "RFC 9000, 13.4.2.1";
    Copies -> DropsCapable: "capable-dropping", "broken: packets whose ECN field is not zero are dropped", "RFC 9000, 13.4.2";
}

/// The rule by which the beginning of the tunnel writes the ECN field of the outer header.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ingress {
    Copies,
    Clears,
    Enables,
    Renames,
    Marks,
}

impl Ingress {
    fn outer(self, inner: Ecn) -> Ecn {
        match self {
            Ingress::Clears => Ecn::NotCapable,
            Ingress::Enables => Ecn::Capable0,
            Ingress::Marks => Ecn::Congested,
            Ingress::Renames if inner == Ecn::Capable0 => Ecn::Capable1,
            Ingress::Copies | Ingress::Renames => inner,
        }
    }
}

/// The rule by which the end of the tunnel makes one ECN field of both.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Egress {
    Combines,
    IgnoresOuter,
    TakesOuter,
    DropsCapable,
}

impl Egress {
    /// The ECN field of the packet that goes on; none if the packet is dropped.
    fn outgoing(self, inner: Ecn, outer: Ecn) -> Option<Ecn> {
        match self {
            Egress::Combines => combined(inner, outer),
            Egress::IgnoresOuter => Some(inner),
            Egress::TakesOuter => Some(outer),
            Egress::DropsCapable => Some(inner).filter(|field| *field == Ecn::NotCapable),
        }
    }
}

/// Figure 4 of RFC 6040.
fn combined(inner: Ecn, outer: Ecn) -> Option<Ecn> {
    match (inner, outer) {
        (Ecn::NotCapable, Ecn::Congested) => None,
        (Ecn::Capable0 | Ecn::Capable1, Ecn::Congested) => Some(Ecn::Congested),
        (Ecn::Capable0, Ecn::Capable1) => Some(Ecn::Capable1),
        _ => Some(inner),
    }
}

/// A tunnel over a link direction.
#[derive(Clone, Debug)]
pub(crate) struct Tunnel {
    ingress: Ingress,
    egress: Egress,
    overhead: u32,
    /// By slot: the state of a packet that the outer header hides.
    hidden: Vec<Hidden>,
}

/// The state of a packet that the outer header hides.
#[derive(Clone, Copy, Debug, Default)]
struct Hidden {
    ecn: Ecn,
    /// The link loses the packet.
    lost: bool,
}

impl Tunnel {
    /// The tunnel of an entry of [`ENTRIES`], without packets.
    pub(super) fn new(part: &Part) -> Tunnel {
        let index = ENTRIES.iter().position(|entry| entry.name == part.entry().name);
        let (ingress, egress) = index.map_or((Ingress::Copies, Egress::Combines), |index| ENDS[index]);
        Tunnel { ingress, egress, overhead: part.values().get("overhead") as u32, hidden: Vec::new() }
    }

    /// Puts the outer header around a packet.
    pub(crate) fn enter(&mut self, slot: SlotId, header: &mut PacketHeader) {
        self.hide(slot, Hidden { ecn: header.ecn(), lost: false });
        header.set_ecn(self.ingress.outer(header.ecn()));
        header.set_size(header.size() + self.overhead);
    }

    /// Takes the outer header off a packet that does not reach the end.
    pub(crate) fn abandon(&self, slot: SlotId, header: &mut PacketHeader) {
        header.set_ecn(self.hidden[slot as usize].ecn);
        header.set_size(header.size() - self.overhead);
    }

    /// Notes whether the link loses a packet.
    pub(crate) fn note(&mut self, slot: SlotId, lost: bool) {
        self.hidden[slot as usize].lost = lost;
    }

    /// Hides the same of a copy.
    pub(crate) fn copy(&mut self, slot: SlotId, copy: SlotId) {
        self.hide(copy, self.hidden[slot as usize]);
    }

    /// Takes the outer header off a packet at the end. False if the packet is lost or dropped there.
    pub(crate) fn leave(&mut self, slot: SlotId, header: &mut PacketHeader) -> bool {
        let Hidden { ecn, lost } = self.hidden[slot as usize];
        let outgoing = self.egress.outgoing(ecn, header.ecn());
        self.abandon(slot, header);
        header.set_ecn(outgoing.unwrap_or(ecn));
        !lost && outgoing.is_some()
    }

    fn hide(&mut self, slot: SlotId, hidden: Hidden) {
        let place = slot as usize;
        if place >= self.hidden.len() {
            self.hidden.resize(place + 1, Hidden::default());
        }
        self.hidden[place] = hidden;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT: Ecn = Ecn::NotCapable;
    const ECT0: Ecn = Ecn::Capable0;
    const ECT1: Ecn = Ecn::Capable1;
    const CE: Ecn = Ecn::Congested;

    /// The rows and columns of RFC 6040, figure 4, as it prints them: the outer field is not-ECT, ECT(0), ECT(1) and CE.
    #[test]
    fn both_fields_make_one_by_the_table_of_rfc_6040() {
        let table = [
            (NOT, [Some(NOT), Some(NOT), Some(NOT), None]),
            (ECT0, [Some(ECT0), Some(ECT0), Some(ECT1), Some(CE)]),
            (ECT1, [Some(ECT1), Some(ECT1), Some(ECT1), Some(CE)]),
            (CE, [Some(CE), Some(CE), Some(CE), Some(CE)]),
        ];
        for (inner, row) in table {
            for (outer, outgoing) in [NOT, ECT0, ECT1, CE].into_iter().zip(row) {
                assert_eq!(combined(inner, outer), outgoing, "{inner:?} inside {outer:?}");
            }
        }
    }

    /// RFC 6040, figure 3: normal mode copies, compatibility mode clears.
    #[test]
    fn outer_fields_follow_the_mode() {
        for inner in [NOT, ECT0, ECT1, CE] {
            assert_eq!(Ingress::Copies.outer(inner), inner);
            assert_eq!(Ingress::Clears.outer(inner), NOT);
        }
    }
}
