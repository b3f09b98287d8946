use ackclock_units::Time;

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;
/// The unit of arrival times in reports: 1/1024 s (RFC 8888, 3.1).
const UNITS: u64 = 1024;
/// The largest offset of an arrival time before the report (RFC 8888, 3.1).
const LARGEST_OFFSET: u64 = 0x1ffd;

/// The reception of one packet, as a report has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reception {
    /// When it arrived; none if it has not.
    pub arrived: Option<Time>,
    /// It arrived with the mark CE.
    pub marked: bool,
}

/// A congestion control feedback report (RFC 8888), about a range of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// When it was sent: the report's timestamp.
    pub sent_at: Time,
    /// The number of the first packet.
    pub begin: u64,
    /// That packet and the following ones.
    pub packets: Vec<Reception>,
}

impl Feedback {
    /// Its bytes on the wire: IPv4 and UDP; the header of RTCP with the sender's SSRC; the media's SSRC, the range and two bytes
    /// for each packet, padded to words of four; and the timestamp (RFC 8888, 3.1).
    pub fn size(&self) -> u32 {
        let metrics = (2 * self.packets.len() as u32).next_multiple_of(4);
        20 + 8 + 8 + 8 + metrics + 4
    }

    /// The time at which a packet arrived, in the resolution of a report sent now: its offset is rounded to the nearest unit.
    pub(super) fn rounded(now: Time, arrived: Time) -> Time {
        let age = now.since(arrived).as_nanos();
        let offset = ((age * UNITS + SECOND / 2) / SECOND).min(LARGEST_OFFSET);
        let nanos = now.as_nanos().saturating_sub(offset * SECOND / UNITS);
        Time::from_nanos(nanos)
    }

    /// The highest packet that arrived, and when.
    pub fn highest(&self) -> Option<(u64, Time)> {
        let place = self.packets.iter().rposition(|packet| packet.arrived.is_some())?;
        Some((self.begin + place as u64, self.packets[place].arrived?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8888, 3.1: two words of RTCP, two of the stream, a half word for each packet, and the timestamp.
    #[test]
    fn a_report_has_two_bytes_a_packet_and_whole_words() {
        let size = |packets| {
            Feedback { sent_at: Time::ZERO, begin: 0, packets: vec![Reception::default(); packets] }.size()
        };
        assert_eq!([1, 2, 3, 10].map(size), [28 + 24, 28 + 24, 28 + 28, 28 + 40]);
    }

    /// 10 ms are 10.24 units, 10.5 ms are 10.752: 10 and 11 units of 976 562.5 ns.
    #[test]
    fn arrival_times_have_units_of_a_1024th_of_a_second() {
        let now = Time::from_nanos(20_000_000_000);
        let age = |nanos: u64| {
            let rounded = Feedback::rounded(now, Time::from_nanos(now.as_nanos() - nanos));
            now.since(rounded).as_nanos()
        };
        assert_eq!([0, 10_000_000, 10_500_000].map(age), [0, 9_765_625, 10_742_187]);
        assert_eq!(age(15_000_000_000), 0x1ffd * SECOND / UNITS, "the largest offset");
    }
}
