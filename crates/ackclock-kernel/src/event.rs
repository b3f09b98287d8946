//! The records that the datapath writes, one for each acknowledgment and signal: `struct event` of `bpf/datapath.bpf.c`.

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A flow begins with this controller: at the beginning of its connection, or after a time without one.
    Start = 1,
    /// An acknowledgment.
    Ack,
    /// Fast recovery begins. The acknowledgment that shows it comes next, unless a timer showed it.
    Loss,
    /// The retransmission timer expired.
    Timeout,
    /// The receiver echoes a mark.
    Mark,
    /// The latest congestion episode was spurious.
    Undo,
    /// The flow sends after a retransmission timeout of silence.
    Idle,
    /// The connection is closed, or the socket has another algorithm.
    End,
}

impl Kind {
    const ALL: [Kind; 8] =
        [Kind::Start, Kind::Ack, Kind::Loss, Kind::Timeout, Kind::Mark, Kind::Undo, Kind::Idle, Kind::End];

    fn read(number: u32) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// The kernel's state of loss recovery (`enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// No episode.
    Open,
    /// Duplicate or selective acknowledgments have come, but no loss was found yet.
    Disorder,
    /// The window is reduced for a mark.
    Reduced,
    /// Fast recovery.
    Recovery,
    /// Recovery after a timeout: the segments outstanding then are retransmitted.
    AfterTimeout,
}

impl State {
    const ALL: [State; 5] =
        [State::Open, State::Disorder, State::Reduced, State::Recovery, State::AfterTimeout];
}

/// A record of the datapath. Counts are in packets and wrap; counts since the connection began include the SYN.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Event {
    /// The kernel's clock of the connection in microseconds (`tcp_mstamp`): equal for a loss and the acknowledgment that
    /// shows it.
    pub now_us: u64,
    /// The time at which the record was written, in nanoseconds of the monotonic clock.
    pub written_ns: u64,
    /// The time of the latest delivery before the newest delivered packet was sent.
    pub prior_us: u64,
    /// The time at which the newest delivered packet was sent.
    pub sent_us: u64,
    /// The kind of the event.
    pub kind: Kind,
    /// The place of the flow's answers.
    pub slot: u32,
    /// Distinguishes the flows that use a slot one after the other.
    pub generation: u32,
    /// Acknowledgments since the flow began.
    pub number: u32,
    /// The window in force.
    pub cwnd: u32,
    /// The threshold in force.
    pub ssthresh: u32,
    /// Packets sent and not cumulatively acknowledged.
    pub outstanding: u32,
    /// Packets in flight.
    pub in_flight: u32,
    /// Packets in flight before the acknowledgment.
    pub prior_in_flight: u32,
    /// The smoothed round-trip time in microseconds.
    pub srtt_us: u32,
    /// The round-trip time that the acknowledgment measured, if it did, in microseconds.
    pub rtt_us: Option<u32>,
    /// Packets delivered.
    pub delivered: u32,
    /// Packets declared lost.
    pub lost: u32,
    /// Packets delivered with a mark.
    pub marked: u32,
    /// Packets delivered before the newest delivered packet was sent.
    pub prior_delivered: u32,
    /// The time in microseconds in which the flight that ends with that packet was sent.
    pub sending_us: u32,
    /// The interval of the kernel's own delivery-rate sample in microseconds, if there is one.
    pub interval_us: Option<u32>,
    /// The size of segments in bytes.
    pub mss: u32,
    /// The local port.
    pub port: u16,
    /// The state of loss recovery.
    pub state: State,
    /// True if the cumulative acknowledgment advanced.
    pub advanced: bool,
    /// True if the application held the sender back when the newest delivered packet was sent.
    pub app_limited: bool,
    /// True if the window limits the sender.
    pub window_limited: bool,
    /// The connection uses ECN.
    pub ecn: bool,
    /// True if the fields about the newest delivered packet are valid.
    pub has_newest: bool,
    /// True if the timer had expired for this packet before.
    pub repeated: bool,
}

impl Event {
    /// Bytes of a record.
    pub const SIZE: usize = 112;

    /// Reads a record; none if it is not one of this version.
    pub fn read(record: &[u8]) -> Option<Event> {
        let record: &[u8; Event::SIZE] = record.try_into().ok()?;
        let long = |at: usize| u64::from(word(record, at)) | u64::from(word(record, at + 4)) << 32;
        let word = |at: usize| word(record, at);
        let positive = |at: usize| Some(word(at)).filter(|value| (1..=i32::MAX as u32).contains(value));
        let flag = |bit: u8| record[107] & 1 << bit != 0;
        Some(Event {
            now_us: long(0),
            written_ns: long(8),
            prior_us: long(16),
            sent_us: long(24),
            kind: Kind::read(word(32))?,
            slot: word(36),
            generation: word(40),
            number: word(44),
            cwnd: word(48),
            ssthresh: word(52),
            outstanding: word(56),
            in_flight: word(60),
            prior_in_flight: word(64),
            srtt_us: word(68),
            rtt_us: positive(72),
            delivered: word(76),
            lost: word(80),
            marked: word(84),
            prior_delivered: word(88),
            sending_us: word(92),
            interval_us: positive(96),
            mss: word(100),
            port: u16::from_le_bytes([record[104], record[105]]),
            state: *State::ALL.get(usize::from(record[106]))?,
            advanced: flag(0),
            app_limited: flag(1),
            window_limited: flag(2),
            ecn: flag(3),
            has_newest: flag(4),
            repeated: flag(5),
        })
    }
}

fn word(record: &[u8; Event::SIZE], at: usize) -> u32 {
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_field_by_field() {
        let mut record = [0; Event::SIZE];
        for (at, value) in [(0, 5), (32, 2), (48, 10), (72, u32::MAX), (76, 11), (96, 40_000), (100, 1448)] {
            record[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        (record[4], record[106], record[107]) = (1, 3, 0b0001_0101);
        let event = Event::read(&record).unwrap();
        assert_eq!((event.now_us, event.kind, event.cwnd), ((1 << 32) + 5, Kind::Ack, 10));
        assert_eq!((event.rtt_us, event.delivered, event.interval_us), (None, 11, Some(40_000)));
        assert_eq!((event.mss, event.state), (1448, State::Recovery));
        assert!(event.advanced && event.window_limited && event.has_newest);
        assert!(!event.app_limited && !event.ecn && !event.repeated);
    }

    #[test]
    fn what_is_no_record_is_not_read() {
        assert_eq!(Event::read(&[1; Event::SIZE - 1]), None);
        assert_eq!(Event::read(&[0; Event::SIZE]), None, "no kind is 0");
    }
}
