//! The records of users: how long their pages took, and the times without new data.

use std::sync::Arc;

use ackclock_application::{PageGraph, Report};
use ackclock_units::{Duration, Time};

use crate::recording::page_objects::PageObjects;
use crate::tables::table::{Column, Table};

/// One page.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// The time at which the user asks for it.
    start: Time,
    /// The time at which its last object was complete.
    received_at: Option<Time>,
    objects: u32,
    packets: u64,
    /// Objects whose connection failed.
    failed: u32,
    /// The time of the latest new data; the start of the page before any.
    latest: Time,
    stalls: Stalls,
    /// The number of the user's page, from 0.
    number: u32,
    first_object: Option<Time>,
    is_given_up: bool,
    seen: Seen,
    /// The time after the warm-up in which it was incomplete.
    waited: Duration,
}

/// The visible part of a page over time.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The visual bytes of the page, and those that have arrived.
    bytes: u64,
    shown: u64,
    /// The part that is missing, integrated over time until `at`, in seconds.
    area: f64,
    at: Time,
}

/// Times without new data while a page is fetched.
#[derive(Clone, Copy, Debug, Default)]
struct Stalls {
    /// The longest time without new data, even if it does not count as a stall.
    longest: Duration,
    /// The number of stalls, and their total length.
    count: u64,
    total: Duration,
}

impl Seen {
    /// Lets time pass until `now`, when further visual bytes arrive.
    fn note(&mut self, now: Time, bytes: u64) {
        if self.bytes > self.shown {
            let missing = 1.0 - self.shown as f64 / self.bytes as f64;
            self.area += missing * now.since(self.at).as_secs_f64();
        }
        (self.at, self.shown) = (now, self.shown + bytes);
    }

    /// The area; none for a page without visual bytes.
    fn area(&self) -> f64 {
        if self.bytes > 0 { self.area } else { f64::NAN }
    }
}

/// The record of one user.
#[derive(Clone, Debug, Default)]
struct UserRecord {
    name: Box<str>,
    connections: u64,
    /// A time without new data of at least this length is a stall.
    stall_after: Duration,
    /// The page that is being fetched.
    page: Option<Page>,
    /// When the first page was requested, and when the last one ended.
    start: Option<Time>,
    finish: Option<Time>,
    stalls: Stalls,
    /// The time during which a page was being fetched and was incomplete.
    waited: Duration,
    /// Pages that began after the warm-up and are complete: their number, their content, and how long
    /// they took.
    pages: u64,
    objects: u64,
    failed: u64,
    packets: u64,
    page_seconds: f64,
    area_seconds: f64,
    /// Pages that began after the warm-up and were given up.
    given_up: u64,
    /// The page that the user loads again and again, its visual bytes, and the pages begun; none for a user whose pages are drawn.
    graph: Option<Arc<PageGraph>>,
    visual: u64,
    begun: u32,
}

/// The records of all users.
#[derive(Default)]
pub(crate) struct UserRecords {
    rows_wanted: bool,
    from: Time,
    users: Vec<UserRecord>,
    /// By application: the number of its user. The list ends with the last application that is a
    /// user.
    by_application: Vec<Option<u32>>,
    pages: Vec<(u32, Page)>,
    objects: PageObjects,
}

impl Stalls {
    fn note(&mut self, gap: Duration, stall_after: Duration) {
        self.longest = self.longest.max(gap);
        if gap >= stall_after {
            self.count += 1;
            self.total += gap;
        }
    }
}

impl UserRecord {
    /// Ends a time without new data, unless the page is complete.
    fn note_gap(&mut self, now: Time, from: Time) {
        let Some(page) = self.page.as_mut().filter(|page| page.received_at.is_none()) else { return };
        let since = page.latest.max(from);
        page.latest = now;
        if now < since {
            return;
        }
        let gap = now.since(since);
        page.stalls.note(gap, self.stall_after);
        self.stalls.note(gap, self.stall_after);
        page.waited += gap;
        self.waited += gap;
    }

    /// Adds a page that is complete.
    fn note_page(&mut self, page: &Page, received: Time) {
        self.pages += 1;
        self.objects += u64::from(page.objects - page.failed);
        self.failed += u64::from(page.failed);
        self.packets += page.packets;
        self.page_seconds += received.since(page.start).as_secs_f64();
        self.area_seconds += page.seen.area();
    }
}

impl UserRecords {
    /// No users yet. Each page gets a row if `rows_wanted`; events before `from` do not count.
    pub fn new(rows_wanted: bool, from: Time) -> UserRecords {
        UserRecords { rows_wanted, from, objects: PageObjects::new(rows_wanted), ..UserRecords::default() }
    }

    /// Adds an application that is a user, with its page if it always loads the same.
    pub fn add(
        &mut self,
        application: u32,
        name: &str,
        connections: u32,
        stall_after: Duration,
        graph: Option<Arc<PageGraph>>,
    ) {
        self.by_application.resize(application as usize, None);
        self.by_application.push(Some(self.users.len() as u32));
        let (name, connections) = (name.into(), u64::from(connections));
        let visual = graph.as_ref().map_or(0, |graph| graph.visual_bytes());
        self.users.push(UserRecord {
            name,
            connections,
            stall_after,
            graph,
            visual,
            ..UserRecord::default()
        });
    }

    /// Records a report of an application.
    pub fn note(&mut self, application: u32, report: Report, now: Time) {
        let Some(number) = self.by_application.get(application as usize).copied().flatten() else { return };
        let user = &mut self.users[number as usize];
        match (report, &mut user.page) {
            (Report::PageRequested { objects, packets }, page) => {
                let seen = Seen { bytes: user.visual, at: now, ..Seen::default() };
                let begun = user.begun;
                user.start.get_or_insert(now);
                user.finish = None;
                user.begun += 1;
                *page = Some(Page {
                    start: now,
                    objects,
                    packets,
                    latest: now,
                    number: begun,
                    seen,
                    ..Page::default()
                });
                if let Some(graph) = &user.graph {
                    self.objects.begin((number, begun), now, graph);
                }
            }
            (Report::ObjectFound { object }, Some(_)) => self.objects.find(number, object, now),
            (Report::ObjectRequested { object, connection }, Some(_)) => {
                self.objects.request(number, (object, connection), now);
            }
            (Report::ObjectArrived { object, bytes }, Some(page)) => {
                let Some(graph) = &user.graph else { return };
                let facts = &graph.objects()[object as usize];
                page.seen.note(now, if facts.visual { bytes } else { 0 });
                if self.objects.receive(number, (object, bytes), facts.bytes, now) {
                    page.first_object.get_or_insert(now);
                }
            }
            (Report::PageGivenUp, Some(page)) => {
                page.is_given_up = true;
                user.given_up += u64::from(page.start >= self.from);
                user.note_gap(now, self.from);
            }
            (Report::PageProgress, _) => user.note_gap(now, self.from),
            (Report::ObjectFailed, Some(page)) => page.failed += 1,
            (Report::PageReceived, Some(page)) => page.received_at = Some(now),
            (Report::PageClosed, _) => {
                self.close_page(number, now);
                self.users[number as usize].finish.get_or_insert(now);
            }
            _ => {}
        }
    }

    /// Closes a page that is over, or that the end of the run finds under way.
    fn close_page(&mut self, number: u32, now: Time) {
        let user = &mut self.users[number as usize];
        let Some(mut page) = user.page.take() else { return };
        page.seen.note(now, 0);
        self.objects.end(number);
        user.finish = page.received_at;
        if let Some(received) = page.received_at
            && page.start >= self.from
        {
            user.note_page(&page, received);
        }
        if self.rows_wanted {
            self.pages.push((number, page));
        }
    }

    /// Records the pages that the end of the run finds under way.
    pub fn finish(&mut self, now: Time) {
        for number in 0..self.users.len() {
            self.users[number].note_gap(now, self.from);
            self.close_page(number as u32, now);
        }
    }

    /// The table `users`.
    pub fn user_table(&self) -> Table {
        let users = &self.users;
        let real = |get: &dyn Fn(&UserRecord) -> f64| Column::Real(users.iter().map(get).collect());
        let count = |get: &dyn Fn(&UserRecord) -> u64| Column::Count(users.iter().map(get).collect());
        let table = Table::default()
            .with("user", Column::Index((0..users.len() as u32).collect()))
            .with("name", Column::Text(users.iter().map(|user| &user.name).collect()))
            .with("start_s", real(&|user| user.start.map_or(f64::NAN, Time::as_secs_f64)))
            .with("finish_s", real(&|user| user.finish.map_or(f64::NAN, Time::as_secs_f64)))
            .with("waited_s", real(&|user| user.waited.as_secs_f64()))
            .with("stalls", count(&|user| user.stalls.count))
            .with("longest_stall_s", real(&|user| user.stalls.longest.as_secs_f64()))
            .with("stall_s", real(&|user| user.stalls.total.as_secs_f64()))
            .with("connections", count(&|user| user.connections))
            .with("pages", count(&|user| user.pages))
            .with("objects", count(&|user| user.objects))
            .with("failed_objects", count(&|user| user.failed))
            .with("packets", count(&|user| user.packets))
            .with("mean_page_s", real(&|user| user.page_seconds / user.pages as f64));
        if !self.load_graphs() {
            return table;
        }
        table
            .with("given_up", count(&|user| user.given_up))
            .with("mean_visual_area_s", real(&|user| user.area_seconds / user.pages as f64))
    }

    /// True if any user loads pages whose objects are known. Only then the tables have columns for them.
    fn load_graphs(&self) -> bool {
        self.users.iter().any(|user| user.graph.is_some())
    }

    /// The table `objects`: a row for each object of each page; none without a page whose objects are known.
    pub fn object_table(&self) -> Option<Table> {
        if !self.rows_wanted || !self.load_graphs() {
            return None;
        }
        let graph = |user: u32| self.users[user as usize].graph.as_deref();
        Some(self.objects.table(&graph))
    }

    /// The table `pages`: a row each, in the order in which they ended, then those under way by user.
    pub fn page_table(&self) -> Table {
        let pages = &self.pages;
        let real =
            |get: &dyn Fn(&Page) -> f64| Column::Real(pages.iter().map(|(_, page)| get(page)).collect());
        let count =
            |get: &dyn Fn(&Page) -> u64| Column::Count(pages.iter().map(|(_, page)| get(page)).collect());
        let table = Table::default()
            .with("user", Column::Index(pages.iter().map(|(user, _)| *user).collect()))
            .with("start_s", real(&|page| page.start.as_secs_f64()))
            .with("finish_s", real(&|page| page.received_at.map_or(f64::NAN, Time::as_secs_f64)))
            .with("waited_s", real(&|page| page.waited.as_secs_f64()))
            .with("stalls", count(&|page| page.stalls.count))
            .with("longest_stall_s", real(&|page| page.stalls.longest.as_secs_f64()))
            .with("stall_s", real(&|page| page.stalls.total.as_secs_f64()))
            .with("objects", count(&|page| u64::from(page.objects)))
            .with("failed_objects", count(&|page| u64::from(page.failed)))
            .with("packets", count(&|page| page.packets));
        if !self.load_graphs() {
            return table;
        }
        table
            .with("page", count(&|page| u64::from(page.number)))
            .with("first_object_s", real(&|page| page.first_object.map_or(f64::NAN, Time::as_secs_f64)))
            .with("visual_area_s", real(&|page| page.seen.area()))
            .with("given_up", count(&|page| u64::from(page.is_given_up)))
    }
}
