//! The records of transfers: one row each, and classes by size.

use ackclock_units::Time;

use crate::records::{Column, Table};

/// A file that was transferred, or is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transferred {
    pub flow: u32,
    pub start: Time,
    pub established: Option<Time>,
    pub finish: Option<Time>,
    /// Set if no connection came about.
    pub failed: bool,
    /// Packets of the file, and their payload in bits.
    pub packets: u64,
    pub bits: f64,
    /// Data packets sent, and those of them that the network dropped.
    pub sent: u64,
    pub lost: u32,
    pub retransmissions: u64,
    pub timeouts: u32,
}

/// A row of the table, which takes two thirds of the memory of a [`Transferred`].
#[derive(Clone, Copy, Debug)]
struct Row {
    /// In seconds, not a number for never.
    start: f64,
    established: f64,
    finish: f64,
    packets: u64,
    sent: u64,
    retransmissions: u64,
    lost: u32,
    timeouts: u32,
    flow: u32,
    failed: bool,
}

/// All transfers of a run.
#[derive(Default)]
pub(crate) struct Transfers {
    /// Set if each gets a row.
    rows_wanted: bool,
    rows: Vec<Row>,
    /// Transfers that begin before this are in no class.
    from: Time,
    /// By the power of two that the size reaches.
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
    /// Records with a row each if `rows_wanted`; what starts before `from` is in no class.
    pub fn new(rows_wanted: bool, from: Time) -> Transfers {
        Transfers { rows_wanted, from, ..Transfers::default() }
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
        if self.rows_wanted {
            self.rows.push(Row::from(transfer));
        }
    }

    /// The table `transfers`: a row each, in the order in which they ended, then those under way by flow.
    pub fn table(&self) -> Table {
        let rows = &self.rows;
        let real = |get: &dyn Fn(&Row) -> f64| Column::Real(rows.iter().map(get).collect());
        let count = |get: &dyn Fn(&Row) -> u64| Column::Count(rows.iter().map(get).collect());
        Table::default()
            .with("flow", Column::Index(rows.iter().map(|row| row.flow).collect()))
            .with("start_s", real(&|row| row.start))
            .with("established_s", real(&|row| row.established))
            .with("finish_s", real(&|row| row.finish))
            .with("failed", Column::Index(rows.iter().map(|row| u32::from(row.failed)).collect()))
            .with("packets", count(&|row| row.packets))
            .with("packets_sent", count(&|row| row.sent))
            .with("packets_lost", count(&|row| u64::from(row.lost)))
            .with("retransmissions", count(&|row| row.retransmissions))
            .with("timeouts", count(&|row| u64::from(row.timeouts)))
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

impl From<Transferred> for Row {
    fn from(transfer: Transferred) -> Row {
        let Transferred { start, established, finish, packets, sent, retransmissions, .. } = transfer;
        let Transferred { lost, timeouts, flow, failed, .. } = transfer;
        let seconds = |time: Option<Time>| time.map_or(f64::NAN, Time::as_secs_f64);
        Row {
            start: start.as_secs_f64(),
            established: seconds(established),
            finish: seconds(finish),
            packets,
            sent,
            retransmissions,
            lost,
            timeouts,
            flow,
            failed,
        }
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
