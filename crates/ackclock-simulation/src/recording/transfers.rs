//! The records of transfers: one row each, and classes by size.

use ackclock_units::Time;

use crate::tables::count_column::CountColumn;
use crate::tables::table::{Column, Table};

/// A file that was transferred, or is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transferred {
    pub flow: u32,
    pub start: Time,
    pub established: Option<Time>,
    pub finish: Option<Time>,
    /// True if no connection was established.
    pub failed: bool,
    /// True if a stop, or the end of a user's patience, came before everything was sent.
    pub cut_off: bool,
    /// Packets of the file, and their payload in bits.
    pub packets: u64,
    pub bits: f64,
    /// Data packets sent, and how many of them the network dropped.
    pub sent: u64,
    pub lost: u32,
    pub retransmissions: u64,
    pub timeouts: u32,
}

/// The columns of the table `transfers`. Times are in seconds, NaN for never.
struct Rows {
    flow: Vec<u32>,
    start: Vec<f64>,
    established: Vec<f64>,
    finish: Vec<f64>,
    /// The numbers of the transfers that failed.
    failed: Vec<u32>,
    /// The numbers of the transfers that were cut off.
    cut_off: Vec<u32>,
    packets: CountColumn,
    sent: CountColumn,
    lost: CountColumn,
    retransmissions: CountColumn,
    timeouts: CountColumn,
}

/// All transfers of a run.
#[derive(Default)]
pub(crate) struct Transfers {
    /// A row for each transfer, if they are requested.
    rows: Option<Rows>,
    /// Transfers that begin before this are in no class.
    from: Time,
    /// The size classes, by the power of two that the size reaches.
    classes: Vec<SizeClass>,
}

/// Transfers of a size of at least a power of two, and less than the next.
#[derive(Clone, Copy, Debug, Default)]
struct SizeClass {
    finished: u64,
    failed: u64,
    packets: u64,
    sent: u64,
    lost: u64,
    retransmissions: u64,
    timeouts: u64,
    seconds: f64,
    bits: f64,
    /// The sum of the transfers' own goodputs.
    goodput: f64,
}

impl Transfers {
    /// No records yet. Each transfer gets a row if `rows_wanted`; there is room for `known` rows. A transfer
    /// that starts before `from` is in no class.
    pub fn new(rows_wanted: bool, known: usize, from: Time) -> Transfers {
        Transfers { rows: rows_wanted.then(|| Rows::with_room(known)), from, classes: Vec::new() }
    }

    /// Notes a transfer that is over, or that the end of the run finds under way.
    pub fn note(&mut self, transfer: Transferred) {
        if transfer.start >= self.from && (transfer.failed || transfer.finish.is_some()) {
            let class = transfer.packets.max(1).ilog2() as usize;
            if self.classes.len() <= class {
                self.classes.resize(class + 1, SizeClass::default());
            }
            self.classes[class].add(&transfer);
        }
        if let Some(rows) = &mut self.rows {
            rows.push(&transfer);
        }
    }

    /// Takes the table `transfers`: a row each, in the order in which they ended, then those under way by flow.
    pub fn take_table(&mut self) -> Table {
        let rows = self.rows.take().unwrap_or_else(|| Rows::with_room(0));
        let flags = |chosen: &[u32]| {
            let mut flags = vec![0; rows.flow.len()];
            for row in chosen {
                flags[*row as usize] = 1;
            }
            Column::Index(flags)
        };
        let (failed, cut_off) = (flags(&rows.failed), flags(&rows.cut_off));
        Table::default()
            .with("flow", Column::Index(rows.flow))
            .with("start_s", Column::Real(rows.start))
            .with("established_s", Column::Real(rows.established))
            .with("finish_s", Column::Real(rows.finish))
            .with("failed", failed)
            .with("cut_off", cut_off)
            .with("packets", Column::Count(rows.packets.into_counts()))
            .with("packets_sent", Column::Count(rows.sent.into_counts()))
            .with("packets_lost", Column::Count(rows.lost.into_counts()))
            .with("retransmissions", Column::Count(rows.retransmissions.into_counts()))
            .with("timeouts", Column::Count(rows.timeouts.into_counts()))
    }

    /// The table `transfer_classes`: a row for every power of two up to the largest file.
    pub fn class_table(&self) -> Table {
        let classes = &self.classes;
        let real = |get: &dyn Fn(&SizeClass) -> f64| Column::Real(classes.iter().map(get).collect());
        let count = |get: &dyn Fn(&SizeClass) -> u64| Column::Count(classes.iter().map(get).collect());
        let power = |class: usize| 1_u64.checked_shl(class as u32).unwrap_or(u64::MAX);
        Table::default()
            .with("packets_from", Column::Count((0..classes.len()).map(power).collect()))
            .with("packets_to", Column::Count((1..=classes.len()).map(|class| power(class) - 1).collect()))
            .with("transfers", count(&|class| class.finished))
            .with("failed", count(&|class| class.failed))
            .with("packets", count(&|class| class.packets))
            .with("packets_sent", count(&|class| class.sent))
            .with("packets_lost", count(&|class| class.lost))
            .with("retransmissions", count(&|class| class.retransmissions))
            .with("timeouts", count(&|class| class.timeouts))
            .with("mean_time_s", real(&|class| class.seconds / class.finished as f64))
            .with("mean_goodput_bit_per_s", real(&|class| class.goodput / class.finished as f64))
            .with("goodput_bit_per_s", real(&|class| class.bits / class.seconds))
    }
}

impl Rows {
    /// No rows yet, with room for this many.
    fn with_room(rows: usize) -> Rows {
        let counts = || CountColumn::with_room(rows);
        Rows {
            flow: Vec::with_capacity(rows),
            start: Vec::with_capacity(rows),
            established: Vec::with_capacity(rows),
            finish: Vec::with_capacity(rows),
            failed: Vec::new(),
            cut_off: Vec::new(),
            packets: counts(),
            sent: counts(),
            lost: counts(),
            retransmissions: counts(),
            timeouts: counts(),
        }
    }

    fn push(&mut self, transfer: &Transferred) {
        let seconds = |time: Option<Time>| time.map_or(f64::NAN, Time::as_secs_f64);
        if transfer.failed {
            self.failed.push(self.flow.len() as u32);
        }
        if transfer.cut_off {
            self.cut_off.push(self.flow.len() as u32);
        }
        self.flow.push(transfer.flow);
        self.start.push(transfer.start.as_secs_f64());
        self.established.push(seconds(transfer.established));
        self.finish.push(seconds(transfer.finish));
        self.packets.push(transfer.packets);
        self.sent.push(transfer.sent);
        self.lost.push(u64::from(transfer.lost));
        self.retransmissions.push(transfer.retransmissions);
        self.timeouts.push(u64::from(transfer.timeouts));
    }
}

impl SizeClass {
    fn add(&mut self, transfer: &Transferred) {
        self.sent += transfer.sent;
        self.lost += u64::from(transfer.lost);
        self.retransmissions += transfer.retransmissions;
        self.timeouts += u64::from(transfer.timeouts);
        let Some(finish) = transfer.finish else {
            self.failed += 1;
            return;
        };
        let seconds = finish.since(transfer.start).as_secs_f64();
        self.finished += 1;
        self.packets += transfer.packets;
        self.seconds += seconds;
        self.bits += transfer.bits;
        self.goodput += transfer.bits / seconds;
    }
}
