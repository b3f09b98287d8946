//! The sockets that send files: the transfer under way, and the counts of earlier connections.

use ackclock_congestion::CongestionControl;
use ackclock_units::{Duration, Time};

use crate::facts::counts::{ConnectionTimes, Snapshot};

/// The configuration that the sockets of a group have in common.
pub(crate) struct SocketConfig {
    /// A controller as every connection begins with; none if there is only one connection.
    pub controller: Option<Box<dyn CongestionControl>>,
}

/// The socket of a flow that sends files.
pub(crate) struct Socket {
    /// The number of its configuration.
    config: u32,
    /// The beginning of the transfer under way, or of the last one.
    pub start: Time,
    /// Its packets.
    pub packets: u64,
    /// None before there is a history: in some runs most flows have only one connection.
    previous: Option<Box<Previous>>,
    /// The total time in seconds that its connections had been open when the warm-up ended.
    pub open_at_warm_up: f64,
}

/// The history before the present transfer.
#[derive(Clone, Copy, Debug, Default)]
struct Previous {
    /// The counts of the connections before the present one.
    counted: Snapshot,
    /// The time they were open, in seconds, and the present one before its latest transfer.
    open: f64,
    /// When the present connection was given its latest transfer, after it had been idle; time zero for its first.
    resumed_at: Time,
    /// Their least round trip; zero for none.
    min_rtt: Duration,
    /// The counts of the present connection when the transfer began.
    baseline: TransferBaseline,
}

/// The counts of a connection when it was given a further transfer; all zero for its first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TransferBaseline {
    /// The packets of the transfers before.
    pub packets: u64,
    pub sent: u64,
    pub retransmissions: u64,
    pub timeouts: u32,
}

/// The sockets of all flows that send files.
pub(crate) struct Sockets {
    configs: Vec<SocketConfig>,
    /// By flow, up to the last that has sent files.
    each: Vec<Option<Box<Socket>>>,
}

impl Sockets {
    /// No sockets yet, with room for those of this many flows.
    pub fn for_flows(flows: usize) -> Sockets {
        Sockets { configs: Vec::new(), each: Vec::with_capacity(flows) }
    }

    /// Adds the configuration of a group. Returns its number.
    pub fn add_config(&mut self, config: SocketConfig) -> u32 {
        self.configs.push(config);
        self.configs.len() as u32 - 1
    }

    /// Adds the socket of a flow, whose first transfer has this many packets and begins at `start`.
    pub fn add(&mut self, flow: usize, config: u32, start: Time, packets: u64) {
        if self.each.len() <= flow {
            self.each.resize_with(flow + 1, || None);
        }
        let socket = Socket { config, start, packets, previous: None, open_at_warm_up: 0.0 };
        self.each[flow] = Some(Box::new(socket));
    }

    /// Removes the socket of a flow that is over.
    pub fn remove(&mut self, flow: usize) {
        if let Some(socket) = self.each.get_mut(flow) {
            *socket = None;
        }
    }

    /// The end of the warm-up: `life` gives the life of each flow's present connection.
    pub fn end_warm_up<'a>(&mut self, now: Time, life: impl Fn(usize) -> ConnectionTimes + 'a) {
        for (flow, socket) in self.each.iter_mut().enumerate() {
            if let Some(socket) = socket {
                socket.open_at_warm_up = socket.open(&life(flow), now);
            }
        }
    }

    /// The counts of a flow over all its connections; `present` holds those of the present one.
    pub fn total(&self, flow: usize, present: &Snapshot) -> Snapshot {
        let previous = self.get(flow).and_then(|socket| socket.previous.as_deref());
        previous.map_or(*present, |previous| previous.counted.and(present))
    }

    pub fn get(&self, flow: usize) -> Option<&Socket> {
        self.each.get(flow)?.as_deref()
    }

    pub fn get_mut(&mut self, flow: usize) -> Option<&mut Socket> {
        self.each.get_mut(flow)?.as_deref_mut()
    }

    /// True if a flow sends one file after another.
    pub fn repeats(&self, flow: usize) -> bool {
        self.get(flow).is_some_and(|socket| self.configs[socket.config as usize].controller.is_some())
    }

    /// A controller for a new connection of a flow that sends one file after another.
    pub fn controller(&self, flow: usize) -> Option<Box<dyn CongestionControl>> {
        self.configs[self.get(flow)?.config as usize].controller.clone()
    }
}

impl Socket {
    /// The counts of the present connection when the transfer began.
    pub fn baseline(&self) -> TransferBaseline {
        self.previous.as_ref().map_or_else(TransferBaseline::default, |previous| previous.baseline)
    }

    /// Adds the present connection, which is over, to the history.
    pub fn close(&mut self, counted: &Snapshot, life: &ConnectionTimes, now: Time) {
        let (open, min_rtt) = (self.open(life, now), self.min_rtt(life));
        let previous = self.previous.get_or_insert_default();
        previous.counted = previous.counted.and(counted);
        **previous = Previous { counted: previous.counted, open, min_rtt, ..Previous::default() };
    }

    /// The present connection, which has been idle and has counted `baseline`, is given a further transfer.
    pub fn resume(
        &mut self,
        (now, packets): (Time, u64),
        life: &ConnectionTimes,
        baseline: TransferBaseline,
    ) {
        let open = self.open(life, now);
        (self.start, self.packets) = (now, packets);
        let previous = self.previous.get_or_insert_default();
        (previous.open, previous.resumed_at, previous.baseline) = (open, now, baseline);
    }

    /// The total time in seconds that its connections have been open; `life` holds the times of the
    /// present one.
    pub fn open(&self, life: &ConnectionTimes, now: Time) -> f64 {
        let until = life.closed_at.unwrap_or(now);
        let (open, resumed_at) =
            self.previous.as_ref().map_or((0.0, Time::ZERO), |previous| (previous.open, previous.resumed_at));
        open + life.established_at.map_or(0.0, |since| until.since(since.max(resumed_at)).as_secs_f64())
    }

    /// The smallest round-trip time of its connections, zero for none; `life` holds the times of
    /// the present one.
    pub fn min_rtt(&self, life: &ConnectionTimes) -> Duration {
        let previous = self.previous.as_ref().map_or(Duration::ZERO, |previous| previous.min_rtt);
        match (previous, life.min_rtt) {
            (Duration::ZERO, present) => present,
            (previous, Duration::ZERO) => previous,
            (previous, present) => previous.min(present),
        }
    }
}
