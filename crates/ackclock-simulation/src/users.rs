//! Users who fetch pages: which connection of a user's pool fetches which object, and how long no data comes.

use std::collections::VecDeque;

use ackclock_network::RandomStream;
use ackclock_units::{Duration, Time};

use crate::scenario::{Distribution, FlowGroup, Packets, Pool};
use crate::user_records::{Page, UserRecord, UserRecords};

/// What the users of one group have in common.
pub(crate) struct PageHabits {
    pool: Pool,
    size: Distribution<Packets>,
    think: Option<Distribution<Duration>>,
    think_first: bool,
    stop: Time,
}

impl PageHabits {
    /// The habits of a group of users; none of one of flows.
    pub fn of(group: &FlowGroup) -> Option<PageHabits> {
        Some(PageHabits {
            pool: group.pool.clone()?,
            size: group.sizes()?,
            think: group.think.clone(),
            think_first: group.think_first,
            stop: group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop),
        })
    }
}

/// An object that a connection is to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub flow: u32,
    pub packets: u64,
}

/// One connection of a user.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    is_busy: bool,
    /// Whether all of its object has arrived.
    is_whole: bool,
    /// Different data packets that its receiver had, at the last arrival, and will have with the object.
    received: u64,
    wanted: u64,
}

/// One user. Draws are its own: a page has the same objects, and comes after the same thinking, whatever the network
/// and the algorithms do.
struct User {
    habits: u32,
    random: RandomStream,
    first_flow: u32,
    connections: Vec<Connection>,
    /// Sizes of the objects that no connection fetches yet, in packets.
    waiting: VecDeque<u64>,
    /// The page that is fetched, or comes next.
    page: Page,
    /// Whether it is fetched: until its last connection is done.
    is_open: bool,
    record: UserRecord,
}

/// All users.
#[derive(Default)]
pub(crate) struct Users {
    habits: Vec<PageHabits>,
    each: Vec<User>,
    /// By flow, up to the last that is a user's.
    by_flow: Vec<Option<u32>>,
    records: UserRecords,
}

impl Users {
    /// No users yet; each page gets a row if `rows_wanted`, and what happens before `from` does not count.
    pub fn new(rows_wanted: bool, from: Time) -> Users {
        Users { records: UserRecords::new(rows_wanted, from), ..Users::default() }
    }

    /// Takes up the habits of a group; the number to refer to them by.
    pub fn add_habits(&mut self, habits: PageHabits) -> u32 {
        self.habits.push(habits);
        self.habits.len() as u32 - 1
    }

    /// Adds a user who begins at `start`, and whose connections are the flows from `first_flow` on.
    pub fn add(&mut self, name: &str, habits: u32, random: RandomStream, first_flow: u32, start: Time) {
        let number = self.each.len() as u32;
        let of = &self.habits[habits as usize];
        let count = of.pool.connections as usize;
        self.by_flow.resize(first_flow as usize, None);
        self.by_flow.resize(first_flow as usize + count, Some(number));
        let mut user = User {
            habits,
            random,
            first_flow,
            connections: vec![Connection::default(); count],
            waiting: VecDeque::new(),
            page: Page::default(),
            is_open: false,
            record: UserRecord::new(name, count),
        };
        user.choose(start, of.think_first, of);
        self.each.push(user);
    }

    /// When users ask for their first pages.
    pub fn first_pages(&self) -> impl Iterator<Item = (u32, Time)> {
        (0..)
            .zip(&self.each)
            .filter(|(_, user)| user.page.start < self.habits[user.habits as usize].stop)
            .map(|(number, user)| (number, user.page.start))
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Whose connection a flow is.
    pub fn of(&self, flow: u32) -> Option<u32> {
        self.by_flow.get(flow as usize).copied().flatten()
    }

    /// Whether a flow's connection is to stay open for further objects.
    pub fn is_persistent(&self, flow: u32) -> bool {
        self.of(flow).is_some_and(|user| self.habits_of(user).pool.persistent)
    }

    fn habits_of(&self, user: u32) -> &PageHabits {
        &self.habits[self.each[user as usize].habits as usize]
    }

    /// A user asks for the page.
    pub fn open(&mut self, user: u32) {
        self.each[user as usize].is_open = true;
    }

    /// The next object that a connection of this user is free to fetch; the first free connection, the first object.
    pub fn next_object(&mut self, user: u32) -> Option<Object> {
        let user = Some(&mut self.each[user as usize]).filter(|user| user.is_open)?;
        let free = user.connections.iter().position(|connection| !connection.is_busy)?;
        let packets = user.waiting.pop_front()?;
        let connection = &mut user.connections[free];
        (connection.is_busy, connection.is_whole) = (true, false);
        Some(Object { flow: user.first_flow + free as u32, packets })
    }

    /// An object is asked for: over a new connection, or over one that has fetched others.
    pub fn begin(&mut self, object: Object, is_new: bool) {
        let Some(user) = self.of(object.flow) else { return };
        let user = &mut self.each[user as usize];
        let connection = &mut user.connections[(object.flow - user.first_flow) as usize];
        if is_new {
            (connection.received, connection.wanted) = (0, 0);
        }
        connection.wanted += object.packets;
    }

    /// A data packet arrived over this flow, whose receiver now has `received` different ones.
    pub fn on_data(&mut self, flow: u32, received: u64, now: Time) {
        let Some(number) = self.of(flow) else { return };
        let hang_after = self.habits_of(number).pool.hang_after;
        let user = &mut self.each[number as usize];
        let connection = &mut user.connections[(flow - user.first_flow) as usize];
        if received <= connection.received {
            return;
        }
        connection.received = received;
        let completes = !connection.is_whole && received >= connection.wanted;
        connection.is_whole |= completes;
        if user.is_open && user.page.received_at.is_none() {
            self.records.note_gap(&mut user.record, &mut user.page, now, hang_after);
        }
        if completes {
            user.object_arrived(now);
        }
    }

    /// A connection has fetched its object, or has failed. When the user's next page begins, if this one is over and
    /// there is a next.
    pub fn on_end(&mut self, flow: u32, failed: bool, now: Time) -> Option<Time> {
        let number = self.of(flow)?;
        let Users { habits, each, records, .. } = self;
        let user = &mut each[number as usize];
        let of = &habits[user.habits as usize];
        let connection = &mut user.connections[(flow - user.first_flow) as usize];
        connection.is_busy = false;
        if !std::mem::replace(&mut connection.is_whole, true) {
            user.page.failed += u32::from(failed);
            records.note_gap(&mut user.record, &mut user.page, now, of.pool.hang_after);
            user.object_arrived(now);
        }
        if !user.waiting.is_empty() || user.connections.iter().any(|connection| connection.is_busy) {
            return None;
        }
        user.is_open = false;
        records.note_page(number, &mut user.record, &user.page);
        of.think.as_ref()?;
        user.choose(now, true, of);
        (user.page.start < of.stop).then_some(user.page.start)
    }

    /// The records, with what the end of the run finds under way.
    pub fn into_records(mut self, now: Time) -> UserRecords {
        for number in 0..self.each.len() as u32 {
            let hang_after = self.habits_of(number).pool.hang_after;
            let user = &mut self.each[number as usize];
            if user.is_open {
                if user.page.received_at.is_none() {
                    self.records.note_gap(&mut user.record, &mut user.page, now, hang_after);
                }
                self.records.note_page(number, &mut user.record, &user.page);
            }
        }
        let Users { mut records, each, .. } = self;
        records.users = each.into_iter().map(|user| user.record).collect();
        records
    }
}

impl User {
    /// Draws how long to think, if at all, then how many objects the page has, then their sizes.
    fn choose(&mut self, now: Time, thinks: bool, habits: &PageHabits) {
        let think =
            habits.think.as_ref().filter(|_| thinks).map(|think| think.draw_duration(&mut self.random));
        let objects = habits.pool.objects.draw_objects(&mut self.random);
        let draw = |_| habits.size.draw_packets(&mut self.random);
        self.waiting = (0..objects).map(draw).collect();
        let packets = self.waiting.iter().fold(0, |sum: u64, packets| sum.saturating_add(*packets));
        self.page = Page::new(now + think.unwrap_or_default(), objects, packets);
    }

    /// One more object is here; with the last the user has the page.
    fn object_arrived(&mut self, now: Time) {
        self.page.missing -= 1;
        if self.page.missing == 0 {
            self.page.received_at = Some(now);
        }
    }
}
