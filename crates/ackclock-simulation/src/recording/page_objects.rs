//! The objects of pages: when each was found, asked for, begun and complete, and the table `objects`.

use ackclock_application::PageGraph;
use ackclock_units::Time;

use crate::tables::table::{Column, Table};

/// An object of a user's page. [`Time::MAX`] stands for what has not happened.
#[derive(Clone, Copy, Debug)]
struct Row {
    user: u32,
    page: u32,
    object: u32,
    /// The number of the connection; meaningless before the request.
    connection: u32,
    page_start: Time,
    found: Time,
    requested: Time,
    begun: Time,
    finish: Time,
}

/// The objects of one user's page under way: the places of their rows, and the bytes that have arrived.
#[derive(Default)]
struct UnderWay {
    first: usize,
    arrived: Vec<u64>,
}

/// The records of all objects.
#[derive(Default)]
pub(crate) struct PageObjects {
    rows_wanted: bool,
    rows: Vec<Row>,
    under_way: Vec<Option<UnderWay>>,
}

impl PageObjects {
    /// No objects yet; each gets a row if `rows_wanted`.
    pub fn new(rows_wanted: bool) -> PageObjects {
        PageObjects { rows_wanted, ..PageObjects::default() }
    }

    /// A user asks for a page.
    pub fn begin(&mut self, (user, page): (u32, u32), now: Time, graph: &PageGraph) {
        let count = graph.objects().len();
        if self.under_way.len() <= user as usize {
            self.under_way.resize_with(user as usize + 1, || None);
        }
        let first = self.rows.len();
        self.under_way[user as usize] = Some(UnderWay { first, arrived: vec![0; count] });
        if self.rows_wanted {
            let never = Time::MAX;
            self.rows.extend((0..count as u32).map(|object| Row {
                user,
                page,
                object,
                connection: 0,
                page_start: now,
                found: never,
                requested: never,
                begun: never,
                finish: never,
            }));
        }
    }

    /// The row of an object of the page under way.
    fn row(&mut self, user: u32, object: u32) -> Option<&mut Row> {
        let first = self.under_way[user as usize].as_ref()?.first;
        self.rows.get_mut(first + object as usize).filter(|_| self.rows_wanted)
    }

    /// The browser finds an object.
    pub fn find(&mut self, user: u32, object: u32, now: Time) {
        if let Some(row) = self.row(user, object) {
            row.found = now;
        }
    }

    /// The browser asks for an object over a connection.
    pub fn request(&mut self, user: u32, (object, connection): (u32, u32), now: Time) {
        if let Some(row) = self.row(user, object) {
            (row.connection, row.requested) = (connection, now);
        }
    }

    /// Bytes of an object of this size arrive. Returns true if it is complete.
    pub fn receive(&mut self, user: u32, (object, bytes): (u32, u64), size: u64, now: Time) -> bool {
        let Some(under_way) = &mut self.under_way[user as usize] else { return false };
        let arrived = &mut under_way.arrived[object as usize];
        let is_first = *arrived == 0;
        *arrived += bytes;
        let is_whole = *arrived == size;
        if (is_first || is_whole)
            && let Some(row) = self.row(user, object)
        {
            row.begun = row.begun.min(now);
            row.finish = if is_whole { now } else { row.finish };
        }
        is_whole
    }

    /// The page under way ends.
    pub fn end(&mut self, user: u32) {
        if let Some(under_way) = self.under_way.get_mut(user as usize) {
            *under_way = None;
        }
    }

    /// The table; `graph` has the page of a user.
    pub fn table<'a>(&self, graph: &dyn Fn(u32) -> Option<&'a PageGraph>) -> Table {
        let rows = &self.rows;
        let index = |get: &dyn Fn(&Row) -> u32| Column::Index(rows.iter().map(get).collect());
        let time = |get: &dyn Fn(&Row) -> Time| {
            let seconds = |row: &Row| match get(row) {
                Time::MAX => f64::NAN,
                time => time.as_secs_f64(),
            };
            Column::Real(rows.iter().map(seconds).collect())
        };
        let facts = |row: &Row| graph(row.user).map(|page| &page.objects()[row.object as usize]);
        let count = |get: &dyn Fn(&Row) -> u64| Column::Count(rows.iter().map(get).collect());
        let names = rows.iter().filter_map(|row| facts(row).map(|object| &object.name));
        Table::default()
            .with("user", index(&|row| row.user))
            .with("page", count(&|row| u64::from(row.page)))
            .with("object", count(&|row| u64::from(row.object)))
            .with("name", Column::Text(names.collect()))
            .with("bytes", count(&|row| facts(row).map_or(0, |object| object.bytes)))
            .with("urgency", count(&|row| facts(row).map_or(0, |object| u64::from(object.urgency))))
            .with("connection", count(&|row| u64::from(row.connection)))
            .with("page_start_s", time(&|row| row.page_start))
            .with("found_s", time(&|row| row.found))
            .with("request_s", time(&|row| row.requested))
            .with("first_byte_s", time(&|row| row.begun))
            .with("finish_s", time(&|row| row.finish))
    }
}
