//! The state of a sender by the names of Linux' `struct tcp_info` (`include/uapi/linux/tcp.h`), without their prefix `tcpi_`.

macro_rules! info {
    ($($(#[$doc:meta])* $name:ident $(=> $column:literal, $per_unit:literal)?;)*) => {
        /// The state of a sender, in the units of Linux: times are in microseconds, windows in segments.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct TcpInfo {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl TcpInfo {
            /// The names of all values.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// The columns of a run's series that have the same quantities: the name here, the column, and how many of Linux' units make
            /// one of the column's.
            pub const COLUMNS: &[(&str, &str, f64)] = &[$($((stringify!($name), $column, $per_unit),)?)*];

            /// The column with the quantity of a name.
            ///
            /// # Panics
            /// If no column is declared for it.
            pub fn column(name: &str) -> &'static str {
                let found = Self::COLUMNS.iter().find(|(known, ..)| *known == name);
                found.unwrap_or_else(|| panic!("{name} is in no column")).1
            }

            /// The value of a name, with or without the prefix `tcpi_`.
            pub fn get(&self, name: &str) -> Option<u64> {
                match name.strip_prefix("tcpi_").unwrap_or(name) {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

info! {
    /// The state of congestion: [`Self::OPEN`] and the others.
    ca_state;
    /// The congestion window. In fast recovery it is the data in flight that a proportional reduction
    /// permits.
    snd_cwnd => "cwnd_packets", 1.0;
    /// The slow-start threshold; [`Self::NO_THRESHOLD`] for none.
    snd_ssthresh => "ssthresh_packets", 1.0;
    /// Segments sent and not cumulatively acknowledged. The column of a run leaves out those that are deemed lost or selectively
    /// acknowledged.
    unacked => "in_flight_packets", 1.0;
    /// Those of them that are selectively acknowledged.
    sacked;
    /// Those of them that are deemed lost, whether sent again or not.
    lost;
    /// Those of them that are sent again, and whose last copy is not deemed lost.
    retrans;
    /// The largest reordering seen in segments; the duplicates that mean a loss before one.
    reordering;
    /// Reorderings seen.
    reord_seen;
    /// Segments sent again so far.
    total_retrans => "retransmissions", 1.0;
    /// The retransmission timeout, back-off included.
    rto;
    /// Expiries of the retransmission timer in a row.
    backoff;
    /// The smoothed round-trip time.
    rtt => "srtt_s", 1e6;
    /// Its variation.
    rttvar;
    /// The smallest round-trip time.
    min_rtt;
    /// Segments delivered so far.
    delivered;
    /// Those of them that were marked.
    delivered_ce;
    /// Payload bytes that arrived as ECT(0), by the option of byte counters.
    delivered_e0_bytes;
    /// Those that arrived as ECT(1).
    delivered_e1_bytes;
    /// Those that arrived marked.
    delivered_ce_bytes;
    /// Payload bytes of a full segment.
    snd_mss;
}

impl TcpInfo {
    /// No loss is known (`TCP_CA_Open`).
    pub const OPEN: u64 = 0;
    /// Something arrived out of order (`TCP_CA_Disorder`).
    pub const DISORDER: u64 = 1;
    /// The window is reduced for a mark (`TCP_CA_CWR`).
    pub const CWR: u64 = 2;
    /// Fast recovery (`TCP_CA_Recovery`).
    pub const RECOVERY: u64 = 3;
    /// After a timeout (`TCP_CA_Loss`).
    pub const LOSS: u64 = 4;
    /// The threshold before the first loss (`TCP_INFINITE_SSTHRESH`).
    pub const NO_THRESHOLD: u64 = 0x7fff_ffff;
}
