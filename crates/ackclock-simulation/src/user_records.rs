//! What became of users' pages: how long they took, and how long no data came.

use ackclock_units::{Duration, Time};

use crate::records::{Column, Table};

/// One page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Page {
    /// When the user asks for it.
    pub start: Time,
    /// When its last object was there.
    pub received_at: Option<Time>,
    objects: u32,
    packets: u64,
    /// Objects not received yet, and those whose connection failed.
    pub missing: u32,
    pub failed: u32,
    /// When new data came last; the start, where none came yet.
    latest: Time,
    hangs: Hangs,
}

/// Times without new data while a page is fetched.
#[derive(Clone, Copy, Debug, Default)]
struct Hangs {
    /// The longest, however short.
    longest: Duration,
    /// Those that count as hangs, and how long they were together.
    count: u64,
    total: Duration,
}

/// What is known of one user.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserRecord {
    name: Box<str>,
    connections: u64,
    hangs: Hangs,
    /// While a page was fetched and not all there.
    waited: Duration,
    /// Pages that began after the warm-up and are all there, what they had, and how long they took.
    pages: u64,
    objects: u64,
    failed: u64,
    packets: u64,
    page_seconds: f64,
}

/// Of all users.
#[derive(Default)]
pub(crate) struct UserRecords {
    rows_wanted: bool,
    from: Time,
    pub users: Vec<UserRecord>,
    pages: Vec<(u32, Page)>,
}

impl Page {
    pub fn new(start: Time, objects: u32, packets: u64) -> Page {
        Page { start, objects, packets, missing: objects, latest: start, ..Page::default() }
    }
}

impl Hangs {
    fn note(&mut self, gap: Duration, hang_after: Duration) {
        self.longest = self.longest.max(gap);
        if gap >= hang_after {
            self.count += 1;
            self.total += gap;
        }
    }
}

impl UserRecord {
    pub fn new(name: &str, connections: usize) -> UserRecord {
        UserRecord { name: name.into(), connections: connections as u64, ..UserRecord::default() }
    }
}

impl UserRecords {
    pub fn new(rows_wanted: bool, from: Time) -> UserRecords {
        UserRecords { rows_wanted, from, ..UserRecords::default() }
    }

    /// New data comes, or the run ends: a time without is over.
    pub fn note_gap(&mut self, user: &mut UserRecord, page: &mut Page, now: Time, hang_after: Duration) {
        let since = page.latest.max(self.from);
        page.latest = now;
        if now < since {
            return;
        }
        let gap = now.since(since);
        page.hangs.note(gap, hang_after);
        user.hangs.note(gap, hang_after);
        user.waited += gap;
    }

    /// A page is over, or the end of the run finds it under way.
    pub fn note_page(&mut self, number: u32, user: &mut UserRecord, page: &Page) {
        if let Some(received) = page.received_at
            && page.start >= self.from
        {
            user.pages += 1;
            user.objects += u64::from(page.objects - page.failed);
            user.failed += u64::from(page.failed);
            user.packets += page.packets;
            user.page_seconds += received.since(page.start).as_secs_f64();
        }
        if self.rows_wanted {
            self.pages.push((number, *page));
        }
    }

    /// The table `users`.
    pub fn user_table(&self) -> Table {
        let users = &self.users;
        let real = |get: &dyn Fn(&UserRecord) -> f64| Column::Real(users.iter().map(get).collect());
        let count = |get: &dyn Fn(&UserRecord) -> u64| Column::Count(users.iter().map(get).collect());
        Table::default()
            .with("user", Column::Index((0..users.len() as u32).collect()))
            .with("name", Column::Text(users.iter().map(|user| user.name.to_string()).collect()))
            .with("connections", count(&|user| user.connections))
            .with("pages", count(&|user| user.pages))
            .with("objects", count(&|user| user.objects))
            .with("failed_objects", count(&|user| user.failed))
            .with("packets", count(&|user| user.packets))
            .with("mean_page_s", real(&|user| user.page_seconds / user.pages as f64))
            .with("waited_s", real(&|user| user.waited.as_secs_f64()))
            .with("longest_hang_s", real(&|user| user.hangs.longest.as_secs_f64()))
            .with("hangs", count(&|user| user.hangs.count))
            .with("hang_s", real(&|user| user.hangs.total.as_secs_f64()))
    }

    /// The table `pages`: a row each, in the order in which they ended, then those under way by user.
    pub fn page_table(&self) -> Table {
        let pages = &self.pages;
        let real =
            |get: &dyn Fn(&Page) -> f64| Column::Real(pages.iter().map(|(_, page)| get(page)).collect());
        let count =
            |get: &dyn Fn(&Page) -> u64| Column::Count(pages.iter().map(|(_, page)| get(page)).collect());
        Table::default()
            .with("user", Column::Index(pages.iter().map(|(user, _)| *user).collect()))
            .with("start_s", real(&|page| page.start.as_secs_f64()))
            .with("finish_s", real(&|page| page.received_at.map_or(f64::NAN, Time::as_secs_f64)))
            .with("objects", count(&|page| u64::from(page.objects)))
            .with("failed_objects", count(&|page| u64::from(page.failed)))
            .with("packets", count(&|page| page.packets))
            .with("longest_hang_s", real(&|page| page.hangs.longest.as_secs_f64()))
            .with("hangs", count(&|page| page.hangs.count))
            .with("hang_s", real(&|page| page.hangs.total.as_secs_f64()))
    }
}
