//! Tins: the classes of traffic by DSCP, and their shares of the bandwidth.

/// The tins into which packets are sorted by their DSCP.
///
/// Exhaustive: Linux has these five.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tins {
    /// One tin.
    BestEffort,
    /// Bulk, best effort and voice.
    #[default]
    DiffServ3,
    /// Bulk, best effort, video and voice.
    DiffServ4,
    /// Eight tins by kinds of applications.
    DiffServ8,
    /// Eight tins by the first three bits, the old field *precedence*.
    Precedence,
}

/// A tin's part of the bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The threshold in bytes per second: a tin below precedes those before it. None without a shaper.
    pub(super) rate: Option<u64>,
    /// Bytes per round without a shaper.
    pub(super) weight: u32,
}

// Codepoints: lower effort (RFC 8622), class selectors (RFC 2474), voice admit (RFC 5865), expedited forwarding (RFC 3246), and
// the bits of RFC 1349's type of service that ask for throughput and for low delay.
const LE: u8 = 1;
const TOS2: u8 = 2;
const TOS4: u8 = 4;
const CS1: u8 = 8;
const CS2: u8 = 16;
const CS3: u8 = 24;
const CS4: u8 = 32;
const CS5: u8 = 40;
const VA: u8 = 44;
const EF: u8 = 46;
const CS6: u8 = 48;
const CS7: u8 = 56;

/// The class of an assured-forwarding codepoint (RFC 2597); 0 for another.
const fn assured(dscp: u8) -> u8 {
    let (class, precedence) = (dscp >> 3, dscp & 0b111);
    if matches!(class, 1..=4) && matches!(precedence, 2 | 4 | 6) { class } else { 0 }
}

impl Tins {
    pub(super) const NAMES: &[&str] = &["besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"];
    pub(super) const ALL: [Tins; 5] =
        [Tins::BestEffort, Tins::DiffServ3, Tins::DiffServ4, Tins::DiffServ8, Tins::Precedence];

    /// The tin of a packet. With a shaper, later tins precede earlier ones while they are within their shares.
    pub(super) fn tin_of(self, dscp: u8) -> usize {
        match self {
            Tins::BestEffort => 0,
            Tins::Precedence => usize::from(dscp >> 3),
            Tins::DiffServ3 => match dscp {
                LE | CS1 => 1,
                TOS4 | VA | EF | CS6 | CS7 => 2,
                _ => 0,
            },
            Tins::DiffServ4 => match (dscp, assured(dscp)) {
                (LE | CS1, _) => 1,
                (TOS4 | CS2 | CS3, _) | (_, 2..=4) => 2,
                (CS4 | CS5 | VA | EF | CS6 | CS7, _) => 3,
                _ => 0,
            },
            Tins::DiffServ8 => match (dscp, assured(dscp)) {
                (LE, _) => 0,
                (CS1 | TOS2, _) | (_, 1) => 1,
                (CS3, _) | (_, 3 | 4) => 3,
                (TOS4, _) | (_, 2) => 4,
                (CS2, _) => 5,
                (CS4 | CS5 | VA | EF, _) => 6,
                (CS6 | CS7, _) => 7,
                _ => 2,
            },
        }
    }

    /// The share of each tin in a bandwidth in bytes per second. Of eight tins each has 7/8 of the one before.
    pub(super) fn shares(self, bandwidth: Option<u64>) -> Vec<Share> {
        let part = |whole: u32, shift: u32| Share {
            rate: bandwidth.map(|bandwidth| bandwidth >> shift),
            weight: whole >> shift,
        };
        match self {
            Tins::BestEffort => vec![part(65_535, 0)],
            Tins::DiffServ3 => [0, 4, 2].map(|shift| part(1024, shift)).to_vec(),
            Tins::DiffServ4 => [0, 4, 1, 2].map(|shift| part(1024, shift)).to_vec(),
            Tins::DiffServ8 | Tins::Precedence => {
                let less = |share: &Share| Share {
                    rate: share.rate.map(|rate| rate * 7 / 8),
                    weight: share.weight * 7 / 8,
                };
                std::iter::successors(Some(part(256, 0)), |share| Some(less(share))).take(8).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// tc-cake(8): the codepoints that it names for each tin.
    #[test]
    fn codepoints_are_in_the_tins_of_the_manual() {
        let af = |class: u8| [1, 2, 3].map(|drop| class * 8 + 2 * drop);
        for dscp in [LE, CS1] {
            assert_eq!([Tins::DiffServ3, Tins::DiffServ4].map(|tins| tins.tin_of(dscp)), [1, 1], "bulk");
        }
        for dscp in [CS7, CS6, EF, VA] {
            assert_eq!([Tins::DiffServ3, Tins::DiffServ4].map(|tins| tins.tin_of(dscp)), [2, 3], "voice");
        }
        for dscp in [CS4, CS5] {
            assert_eq!(
                [Tins::DiffServ3, Tins::DiffServ4].map(|tins| tins.tin_of(dscp)),
                [0, 3],
                "voice of four"
            );
        }
        for dscp in af(4).into_iter().chain(af(3)).chain(af(2)).chain([CS3, CS2]) {
            assert_eq!([Tins::DiffServ3, Tins::DiffServ4].map(|tins| tins.tin_of(dscp)), [0, 2], "video");
        }
        assert_eq!([Tins::DiffServ3, Tins::DiffServ4].map(|tins| tins.tin_of(TOS4)), [2, 2]);
        for dscp in af(1).into_iter().chain([0, TOS2, 3, 63]) {
            assert_eq!(
                [Tins::DiffServ3, Tins::DiffServ4].map(|tins| tins.tin_of(dscp)),
                [0, 0],
                "best effort"
            );
        }
    }

    /// The comment of `sch_cake` on its eight classes, from background traffic to network control.
    #[test]
    fn eight_tins_have_the_kinds_of_the_source() {
        let kinds: [&[u8]; 8] = [
            &[LE],
            &[10, 12, 14, TOS2, CS1],
            &[0, 3, 63],
            &[34, 36, 38, 26, 28, 30, CS3],
            &[18, 20, 22, TOS4],
            &[CS2],
            &[EF, VA, CS5, CS4],
            &[CS6, CS7],
        ];
        for (tin, codepoints) in kinds.into_iter().enumerate() {
            for dscp in codepoints {
                assert_eq!(Tins::DiffServ8.tin_of(*dscp), tin, "{dscp}");
            }
        }
        assert_eq!([0, 8, 46, 63].map(|dscp| Tins::Precedence.tin_of(dscp)), [0, 1, 5, 7]);
    }

    /// tc-cake(8): thresholds of 6.25 % for bulk, 50 % for video and 25 % for voice.
    #[test]
    fn thresholds_are_those_of_the_manual() {
        let rates =
            |tins: Tins| tins.shares(Some(16_000)).iter().filter_map(|share| share.rate).collect::<Vec<_>>();
        assert_eq!(rates(Tins::BestEffort), [16_000]);
        assert_eq!(rates(Tins::DiffServ3), [16_000, 1_000, 4_000]);
        assert_eq!(rates(Tins::DiffServ4), [16_000, 1_000, 8_000, 4_000]);
        assert_eq!(rates(Tins::DiffServ8), [16_000, 14_000, 12_250, 10_718, 9_378, 8_205, 7_179, 6_281]);
        assert!(Tins::DiffServ4.shares(None).iter().all(|share| share.rate.is_none()));
    }
}
