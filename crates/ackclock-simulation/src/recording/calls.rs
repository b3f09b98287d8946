//! The packets of a call: their delays, losses and rates, and the table `calls`.

use ackclock_application::PlayoutSummary;
use ackclock_memory::{memory_of, prefetch};
use ackclock_units::{Duration, Time};

use crate::tables::table::{Column, Table};

/// The length of the intervals in which losses and rates are counted.
const WINDOW: Duration = Duration::from_secs(1);
/// A call has ramped up when the rate of a second is this part of the highest.
const RAMPED: f64 = 0.9;

/// The shares of the packets for whose delays the table has columns.
const DELAYS: [f64; 6] = [0.0, 0.5, 0.95, 0.98, 0.99, 1.0];
/// The shares of the seconds for whose losses it has some.
const LOSSES: [f64; 2] = [0.95, 1.0];

/// The departures and arrivals of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallRecord {
    sent_at: Vec<Time>,
    /// By number; [`Time::MAX`] for packets that have not arrived.
    arrived_at: Vec<Time>,
    /// By number: bytes on the wire.
    sizes: Vec<u32>,
    /// The number of packets up to the latest that arrived; the fate of later ones is unknown.
    known: usize,
}

/// A call at the end of the run.
pub(crate) struct FinishedCall<'a> {
    pub flow: u32,
    pub record: &'a CallRecord,
    /// When it stopped; none if the end of the run found it under way.
    pub finish: Option<Time>,
    /// The view of its frames; none for datagrams that are no frames.
    pub seen: Option<Seen>,
}

/// The view of a call.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The frames encoded.
    pub frames: u64,
    pub summary: PlayoutSummary,
    /// When each freeze begins, and its length in seconds.
    pub freezes: Vec<(Time, f64)>,
}

/// The delays and losses of a call. A percentile is a value that this share of the packets, or of
/// the seconds, does not exceed.
#[derive(Clone, Debug, Default)]
struct CallSummary {
    /// The departure of its first packet, before the warm-up too.
    start: Option<Time>,
    finish: Option<Time>,
    delivered: u64,
    lost: u64,
    /// In seconds, those that the shares [`DELAYS`] do not exceed.
    delays: [f64; DELAYS.len()],
    /// The share of packets lost that [`LOSSES`] of the seconds do not exceed.
    losses: [f64; LOSSES.len()],
    /// The mean rate on the wire of what arrived, in bit/s.
    rate: f64,
    /// The time to ramp up, in seconds.
    ramp: f64,
    seen: Option<Seen>,
}

impl CallRecord {
    pub fn note_departure(&mut self, now: Time, size: u32) {
        self.sent_at.push(now);
        self.arrived_at.push(Time::MAX);
        self.sizes.push(size);
    }

    /// A packet arrives; of several copies only the first counts.
    pub fn note_arrival(&mut self, number: u64, now: Time) {
        let number = number as usize;
        if let Some(arrival) = self.arrived_at.get_mut(number) {
            *arrival = (*arrival).min(now);
            self.known = self.known.max(number + 1);
        }
    }

    /// Prefetches the place of the next arrival.
    pub fn prefetch_arrival(&self) {
        if let Some(next) = self.arrived_at.get(self.known) {
            prefetch(memory_of(next));
        }
    }

    /// Sums up the packets sent from `from` on.
    fn summary(&self, from: Time) -> CallSummary {
        let mut summary = CallSummary::default();
        let (mut delays, mut losses) = (Vec::new(), Vec::new());
        let (mut window, mut counts) = (None, [0_u32; 2]);
        let packets = self.sent_at.iter().zip(&self.arrived_at).take(self.known);
        for (sent_at, arrived_at) in packets.filter(|(sent_at, _)| **sent_at >= from) {
            let second = sent_at.since(from).as_nanos() / WINDOW.as_nanos();
            if window.is_some_and(|before| before != second) {
                losses.push(f64::from(counts[1]) / f64::from(counts[0]));
                counts = [0; 2];
            }
            window = Some(second);
            let is_lost = *arrived_at == Time::MAX;
            counts = [counts[0] + 1, counts[1] + u32::from(is_lost)];
            if is_lost {
                summary.lost += 1;
            } else {
                summary.delivered += 1;
                delays.push(arrived_at.since(*sent_at).as_secs_f64());
            }
        }
        if counts[0] > 0 {
            losses.push(f64::from(counts[1]) / f64::from(counts[0]));
        }
        summary.delays = percentiles(&mut delays, DELAYS);
        summary.losses = percentiles(&mut losses, LOSSES);
        (summary.rate, summary.ramp) = self.rates(from);
        summary
    }

    /// The mean rate in bit/s from the first departure to the last arrival of packets sent from `from` on, and the time from that
    /// departure to the end of the first second whose rate is nearly the highest.
    fn rates(&self, from: Time) -> (f64, f64) {
        let Some(first) = self.sent_at.iter().copied().find(|sent| *sent >= from) else {
            return (f64::NAN, f64::NAN);
        };
        let (mut bits, mut last) = (Vec::new(), first);
        for ((sent, arrived), size) in self.sent_at.iter().zip(&self.arrived_at).zip(&self.sizes) {
            if *sent < from || *arrived == Time::MAX {
                continue;
            }
            let second = (arrived.since(first).as_nanos() / WINDOW.as_nanos()) as usize;
            if second >= bits.len() {
                bits.resize(second + 1, 0.0);
            }
            bits[second] += 8.0 * f64::from(*size);
            last = last.max(*arrived);
        }
        let highest = bits.iter().copied().fold(0.0, f64::max);
        let ramped = bits.iter().position(|bits| *bits >= RAMPED * highest);
        let ramp = ramped.map_or(f64::NAN, |second| (second as f64 + 1.0) * WINDOW.as_secs_f64());
        (bits.iter().sum::<f64>() / last.since(first).as_secs_f64(), ramp)
    }
}

impl CallSummary {
    /// The share of packets lost.
    fn loss(&self) -> f64 {
        self.lost as f64 / (self.lost + self.delivered) as f64
    }

    /// A quantity of what a viewer saw; NaN if nobody saw anything.
    fn seen(&self, get: impl Fn(&PlayoutSummary) -> f64) -> f64 {
        self.seen.as_ref().map_or(f64::NAN, |seen| get(&seen.summary))
    }
}

/// A row for each call, about its packets sent from `from` on, and a row for each freeze, which only a run with frames has. Without a
/// call the first table has no columns.
pub(crate) fn tables<'a>(
    calls: impl Iterator<Item = FinishedCall<'a>>,
    from: Time,
) -> (Table, Option<Table>) {
    let summed = |call: FinishedCall<'a>| {
        let summary = CallSummary {
            start: call.record.sent_at.first().copied(),
            finish: call.finish,
            seen: call.seen,
            ..call.record.summary(from)
        };
        (call.flow, summary)
    };
    let calls: Vec<(u32, CallSummary)> = calls.map(summed).collect();
    let has_frames = calls.iter().any(|(_, call)| call.seen.is_some());
    (call_table(&calls), has_frames.then(|| freeze_table(&calls)))
}

fn freeze_table(calls: &[(u32, CallSummary)]) -> Table {
    let freezes: Vec<(u32, Time, f64)> = calls
        .iter()
        .flat_map(|(flow, call)| call.seen.iter().map(move |seen| (*flow, &seen.freezes)))
        .flat_map(|(flow, freezes)| freezes.iter().map(move |(at, length)| (flow, *at, *length)))
        .collect();
    Table::default()
        .with("flow", Column::Index(freezes.iter().map(|freeze| freeze.0).collect()))
        .with("time_s", Column::Real(freezes.iter().map(|freeze| freeze.1.as_secs_f64()).collect()))
        .with("length_s", Column::Real(freezes.iter().map(|freeze| freeze.2).collect()))
}

fn call_table(calls: &[(u32, CallSummary)]) -> Table {
    if calls.is_empty() {
        return Table::default();
    }
    let count =
        |get: &dyn Fn(&CallSummary) -> u64| Column::Count(calls.iter().map(|call| get(&call.1)).collect());
    let real =
        |get: &dyn Fn(&CallSummary) -> f64| Column::Real(calls.iter().map(|call| get(&call.1)).collect());
    let table = Table::default()
        .with("flow", Column::Index(calls.iter().map(|call| call.0).collect()))
        .with("start_s", real(&|call| call.start.map_or(f64::NAN, Time::as_secs_f64)))
        .with("finish_s", real(&|call| call.finish.map_or(f64::NAN, Time::as_secs_f64)))
        .with("waited_s", real(&|call| call.seen(|seen| seen.frozen)))
        .with("stalls", real(&|call| call.seen(|seen| seen.freezes as f64)))
        .with("longest_stall_s", real(&|call| call.seen(|seen| seen.longest_freeze)))
        .with("stall_s", real(&|call| call.seen(|seen| seen.frozen)))
        .with("packets_delivered", count(&|call| call.delivered))
        .with("packets_lost", count(&|call| call.lost))
        .with("loss", real(&CallSummary::loss))
        .with("loss_of_seconds_p95", real(&|call| call.losses[0]))
        .with("loss_of_seconds_max", real(&|call| call.losses[1]))
        .with("delay_min_s", real(&|call| call.delays[0]))
        .with("delay_p50_s", real(&|call| call.delays[1]))
        .with("delay_p95_s", real(&|call| call.delays[2]))
        .with("delay_p99_s", real(&|call| call.delays[4]))
        .with("delay_max_s", real(&|call| call.delays[5]));
    table
        .with("delay_p98_s", real(&|call| call.delays[3]))
        .with("rate_bit_per_s", real(&|call| call.rate))
        .with("ramp_s", real(&|call| call.ramp))
        .with("frames", count(&|call| call.seen.as_ref().map_or(0, |seen| seen.frames)))
        .with("frames_shown", count(&|call| call.seen.as_ref().map_or(0, |seen| seen.summary.shown)))
        .with("frame_delay_p95_s", real(&|call| call.seen(|seen| seen.delay_p95)))
}

/// For each of these ascending shares, the smallest value that at least this share of the values does not exceed; NaN without values. Their
/// order changes.
pub(crate) fn percentiles<const N: usize>(values: &mut [f64], shares: [f64; N]) -> [f64; N] {
    let (mut known, mut rest) = (0, values);
    let count = rest.len();
    let mut last = f64::NAN;
    shares.map(|share| {
        let rank = (share * count as f64).ceil().max(1.0) as usize;
        // What is below the last percentile is not looked at again.
        if rank > known && rank <= count {
            let (_, found, above) =
                std::mem::take(&mut rest).select_nth_unstable_by(rank - known - 1, f64::total_cmp);
            (last, known, rest) = (*found, rank, above);
        }
        last
    })
}
