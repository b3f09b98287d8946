//! The limits of a scenario: counts, durations, rates and memory.

pub(crate) use ackclock_transport::tcp::{LONGEST_TIMEOUT as LONGEST_DELAY, SHORTEST_TIMEOUT};
use ackclock_units::{Bytes, Duration, Rate};

/// The most flows of a scenario, and pairs of a dumbbell.
pub(crate) const MOST_FLOWS: u32 = 1_000_000;

/// The longest run: 31 years. Instants are 64 bits of nanoseconds, 584 years.
pub(crate) const LONGEST_RUN: Duration = Duration::from_secs(1_000_000_000);

/// The highest rate, at which a packet of 1500 bytes takes 12 ns: transmission times are whole nanoseconds.
pub(crate) const HIGHEST_RATE: Rate = Rate::from_bits_per_second(1_000_000_000_000);

/// The shortest mean gap between the datagrams of a Poisson process, whose gaps are whole nanoseconds.
pub(crate) const SHORTEST_MEAN_GAP: Duration = Duration::from_nanos(100);

/// The most updates of drop probabilities in a run, of all queues together. An event makes all updates due
/// since the last packet at a queue. With this limit they take at most about a second between two events.
pub(crate) const MOST_UPDATES: f64 = 1e8;

/// The most changes of a run's schedules, of all links together.
pub(crate) const MOST_SEGMENTS: f64 = 1e8;

/// The longest linear ramp of a schedule: its integral fits 128 bits.
pub(crate) const LONGEST_RAMP: Duration = Duration::from_secs(3600);

/// The shortest mean dwell time of a random schedule.
pub(crate) const SHORTEST_DWELL: Duration = Duration::from_micros(1);

/// The most points of a schedule, and lines of a trace.
pub(crate) const MOST_POINTS: usize = 2_000_000;

/// The memory that a run may take before its first event, unless the scenario sets another limit.
pub(crate) const MEMORY_LIMIT: Bytes = Bytes::new(2_000_000_000);
