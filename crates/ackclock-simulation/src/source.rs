//! What senders send files for: one each, or one after another with thinking in between.

use ackclock_congestion::CongestionControl;
use ackclock_network::RandomStream;
use ackclock_transport::Transfer;
use ackclock_units::{Duration, Time};

use crate::flows::{Life, Snapshot};
use crate::scenario::{Distribution, FlowGroup, Packets};

/// What the sources of one group have in common.
pub(crate) struct Habits {
    size: Distribution<Packets>,
    think: Option<Distribution<Duration>>,
    think_first: bool,
    /// A controller as every connection begins with; none where there is only one connection.
    controller: Option<Box<dyn CongestionControl>>,
}

impl Habits {
    /// The habits of a group whose flows send files; none of one whose flows send for ever. `controller` makes one as
    /// connections begin with.
    pub fn of(group: &FlowGroup, controller: impl FnOnce() -> Box<dyn CongestionControl>) -> Option<Habits> {
        Some(Habits {
            size: group.sizes()?,
            // Users do the thinking for their connections.
            think: group.think.clone().filter(|_| group.pool.is_none()),
            think_first: group.think_first,
            controller: (group.think.is_some() || group.pool.is_some()).then(controller),
        })
    }
}

/// A source of files. It owns the draws of its flow, so that sizes and thinking do not depend on what the network does
/// to them, nor on other flows.
pub(crate) struct Source {
    /// Its place among the habits.
    habits: u32,
    /// The file that is under way, or comes next.
    pub file: File,
    /// None where there is nothing left to draw, or where a user draws for its connections.
    random: Option<Box<RandomStream>>,
    /// None before there was anything: most flows of some runs have but one connection.
    past: Option<Box<Past>>,
    /// How long its connections had been open when the warm-up ended, in seconds.
    pub open_at_warm_up: f64,
}

/// What happened before the present file.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    /// What the connections before the present one have counted.
    counted: Snapshot,
    /// How long they were open, in seconds.
    open: f64,
    /// Their least round trip; zero for none.
    min_rtt: Duration,
    /// What the present connection had counted, and how many of its data packets were lost, when the file began.
    before: Before,
}

/// What a connection had counted when it was given a further file; all zero for its first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Before {
    pub sent: u64,
    pub lost: u32,
    pub retransmissions: u64,
    pub timeouts: u32,
}

/// One file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    /// When its connection opens.
    pub start: Time,
    pub packets: u64,
}

/// The sources of all flows that have one.
pub(crate) struct Sources {
    habits: Vec<Habits>,
    /// By flow, up to the last that has a source.
    sources: Vec<Option<Source>>,
}

impl Sources {
    /// None yet, with room for those of so many flows.
    pub fn for_flows(flows: usize) -> Sources {
        Sources { habits: Vec::new(), sources: Vec::with_capacity(flows) }
    }

    /// Takes up the habits of a group; the number to refer to them by.
    pub fn add_habits(&mut self, habits: Habits) -> u32 {
        self.habits.push(habits);
        self.habits.len() as u32 - 1
    }

    /// Adds the source of a flow, which begins at `start` and draws from the stream `files` of that name: its first
    /// transfer.
    pub fn add(&mut self, flow: usize, habits: u32, random: RandomStream, start: Time) -> File {
        let mut source = Source { random: Some(Box::new(random)), ..Source::new(habits, start) };
        let habits = &self.habits[habits as usize];
        source.choose(start, habits.think_first, habits);
        if habits.think.is_none() {
            source.random = None;
        }
        let file = source.file;
        self.put(flow, source);
        file
    }

    /// Adds the source of a flow that a user gives files to, by [`Sources::give`].
    pub fn add_users(&mut self, flow: usize, habits: u32) {
        self.put(flow, Source::new(habits, Time::MAX));
    }

    fn put(&mut self, flow: usize, source: Source) {
        self.sources.resize_with(flow, || None);
        self.sources.push(Some(source));
    }

    /// A user's connection gets its next file: a new connection, or one that had counted so much `before`.
    pub fn give(&mut self, flow: usize, file: File, before: Before) {
        if let Some(source) = self.get_mut(flow) {
            source.file = file;
            if before != source.before() {
                source.past.get_or_insert_default().before = before;
            }
        }
    }

    /// The end of the warm-up: `life` is that of each flow's present connection.
    pub fn end_warm_up<'a>(&mut self, now: Time, life: impl Fn(usize) -> Life + 'a) {
        for (flow, source) in self.sources.iter_mut().enumerate() {
            if let Some(source) = source {
                source.open_at_warm_up = source.open(&life(flow), now);
            }
        }
    }

    /// What a flow has counted over all its connections, the present one of which has counted `present`.
    pub fn total(&self, flow: usize, present: &Snapshot) -> Snapshot {
        let past = self.get(flow).and_then(|source| source.past.as_deref());
        past.map_or(*present, |past| past.counted.and(present))
    }

    pub fn get(&self, flow: usize) -> Option<&Source> {
        self.sources.get(flow)?.as_ref()
    }

    pub fn get_mut(&mut self, flow: usize) -> Option<&mut Source> {
        self.sources.get_mut(flow)?.as_mut()
    }

    /// Whether a flow sends one file after another.
    pub fn repeats(&self, flow: usize) -> bool {
        self.get(flow).is_some_and(|source| self.habits[source.habits as usize].controller.is_some())
    }

    /// A file of this flow is done with: the next, if one follows.
    pub fn think(&mut self, flow: usize, now: Time) -> Option<File> {
        let Sources { habits, sources } = self;
        let source = sources.get_mut(flow)?.as_mut()?;
        let habits = &habits[source.habits as usize];
        habits.think.as_ref()?;
        source.choose(now, true, habits);
        Some(source.file)
    }

    /// The next file's transfer and a controller for it, for a flow that sends one after another.
    pub fn next(&self, flow: usize, stop: Time) -> Option<(Transfer, Box<dyn CongestionControl>)> {
        let source = self.get(flow)?;
        let File { start, packets } = source.file;
        let controller = self.habits[source.habits as usize].controller.clone()?;
        Some((Transfer { start, stop, packets: Some(packets) }, controller))
    }
}

impl Source {
    fn new(habits: u32, start: Time) -> Source {
        Source { habits, file: File { start, packets: 0 }, random: None, past: None, open_at_warm_up: 0.0 }
    }

    /// What the present connection had counted, and how many of its data packets were lost, when the file began.
    pub fn before(&self) -> Before {
        self.past.as_ref().map_or_else(Before::default, |past| past.before)
    }

    /// The present connection is given up for the next.
    pub fn leave_behind(&mut self, counted: &Snapshot, life: &Life, now: Time) {
        let (open, min_rtt) = (self.open(life, now), self.min_rtt(life));
        let past = self.past.get_or_insert_default();
        past.counted = past.counted.and(counted);
        (past.open, past.min_rtt) = (open, min_rtt);
    }

    /// How long its connections have been open, in seconds; `life` is the present one's.
    pub fn open(&self, life: &Life, now: Time) -> f64 {
        let until = life.finished_at.unwrap_or(now);
        let past = self.past.as_ref().map_or(0.0, |past| past.open);
        past + life.established_at.map_or(0.0, |since| until.since(since).as_secs_f64())
    }

    /// The least round trip of its connections, zero for none; `life` is the present one's.
    pub fn min_rtt(&self, life: &Life) -> Duration {
        let past = self.past.as_ref().map_or(Duration::ZERO, |past| past.min_rtt);
        match (past, life.min_rtt) {
            (Duration::ZERO, present) => present,
            (past, Duration::ZERO) => past,
            (past, present) => past.min(present),
        }
    }

    /// Draws how long to think, if at all, then the next file.
    fn choose(&mut self, now: Time, thinks: bool, habits: &Habits) {
        let Some(random) = &mut self.random else { return };
        let think = habits.think.as_ref().filter(|_| thinks).map(|think| think.draw_duration(random));
        let packets = habits.size.draw_packets(random);
        self.file = File { start: now + think.unwrap_or_default(), packets };
    }
}
