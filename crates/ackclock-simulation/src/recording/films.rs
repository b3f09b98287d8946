//! The films that viewers watch: their segments, and the tables `films` and `segments`.

use ackclock_application::{Report, Viewing, ViewingSummary, utility};
use ackclock_scenario::FilmKeys;
use ackclock_units::Time;

use crate::tables::table::{Column, Table};

/// The price of a second without film in the quality of experience, in bit/s: the balanced weights of Yin et al. 2015.
const STALL: f64 = 3e6;

/// A segment that was requested.
#[derive(Clone, Copy, Debug)]
struct Segment {
    number: u32,
    quality: u32,
    requested: Time,
    /// The packets that carry it.
    packets: u64,
    received: Option<Time>,
    /// The buffer at its request and with it, in seconds.
    buffer: (f64, f64),
}

/// The film of one viewer.
struct FilmRecord {
    flow: u32,
    start: Time,
    rates: Vec<f64>,
    viewing: Viewing,
    segments: Vec<Segment>,
}

/// The films of all viewers.
#[derive(Default)]
pub(crate) struct FilmRecords {
    /// By application. The list ends with the last viewer.
    films: Vec<Option<FilmRecord>>,
}

/// A viewer's film at the end of the run.
struct FilmSummary {
    flow: u32,
    start: Time,
    segments: u64,
    /// The mean rate in bit/s, and the mean of the logarithm of the rate relative to the lowest.
    rate: f64,
    utility: f64,
    switches: u64,
    seen: ViewingSummary,
    /// In bit/s.
    qoe: f64,
}

impl FilmRecords {
    /// Adds an application that is a viewer, who begins at `start`.
    pub fn add(&mut self, application: u32, flow: u32, film: &FilmKeys, start: Time) {
        self.films.resize_with(application as usize, || None);
        let viewing = Viewing::new(film.viewing(), start);
        self.films.push(Some(FilmRecord { flow, start, rates: film.rates(), viewing, segments: Vec::new() }));
    }

    /// Records a report of an application.
    pub fn note(&mut self, application: u32, report: Report, now: Time) {
        let Some(Some(film)) = self.films.get_mut(application as usize) else { return };
        match report {
            Report::SegmentRequested { segment, quality } => {
                let buffer = (film.viewing.level(now).as_secs_f64(), f64::NAN);
                film.segments.push(Segment {
                    number: segment,
                    quality,
                    requested: now,
                    packets: 0,
                    received: None,
                    buffer,
                });
            }
            Report::Requested { response, .. } => {
                if let Some(segment) = film.segments.last_mut() {
                    segment.packets = response;
                }
            }
            Report::ResponseReceived => {
                film.viewing.on_segment(now);
                let level = film.viewing.level(now).as_secs_f64();
                if let Some(segment) = film.segments.last_mut() {
                    (segment.received, segment.buffer.1) = (Some(now), level);
                }
            }
            _ => {}
        }
    }

    /// The table `films`: a row for each viewer, of the segments requested from `from` on, until the viewer's `stop`. Without a viewer it has no
    /// columns.
    pub fn table(&self, from: Time, stop: impl Fn(u32) -> Time) -> Table {
        let films = self.films.iter().flatten().map(|film| film.summary(from, stop(film.flow)));
        let films: Vec<FilmSummary> = films.collect();
        if films.is_empty() {
            return Table::default();
        }
        let count = |get: &dyn Fn(&FilmSummary) -> u64| Column::Count(films.iter().map(get).collect());
        let real = |get: &dyn Fn(&FilmSummary) -> f64| Column::Real(films.iter().map(get).collect());
        Table::default()
            .with("flow", Column::Index(films.iter().map(|film| film.flow).collect()))
            .with("start_s", real(&|film| film.start.as_secs_f64()))
            .with("finish_s", real(&|film| film.seen.over.map_or(f64::NAN, Time::as_secs_f64)))
            .with("waited_s", real(&|film| film.seen.waited))
            .with("stalls", real(&|film| film.seen.freezes as f64))
            .with("longest_stall_s", real(&|film| film.seen.longest_freeze))
            .with("stall_s", real(&|film| film.seen.frozen))
            .with("segments", count(&|film| film.segments))
            .with("rate_bit_per_s", real(&|film| film.rate))
            .with("utility", real(&|film| film.utility))
            .with("switches", count(&|film| film.switches))
            .with("startup_s", real(&|film| film.seen.startup))
            .with("stall_share", real(&|film| film.seen.frozen / film.seen.watched))
            .with("qoe_bit_per_s", real(&|film| film.qoe))
    }

    /// The table `segments`: a row for each segment requested until `end`, by viewer. Without a viewer it has no columns.
    pub fn segment_table(&self, end: Time) -> Table {
        if self.films.is_empty() {
            return Table::default();
        }
        let rows =
            || self.films.iter().flatten().flat_map(|film| film.requested(end).map(move |row| (film, row)));
        let real = |get: &dyn Fn(&FilmRecord, &Segment) -> f64| {
            Column::Real(rows().map(|(film, row)| get(film, row)).collect())
        };
        Table::default()
            .with("flow", Column::Index(rows().map(|(film, _)| film.flow).collect()))
            .with("segment", Column::Index(rows().map(|(_, row)| row.number).collect()))
            .with("quality", Column::Index(rows().map(|(_, row)| row.quality).collect()))
            .with("rate_bit_per_s", real(&|film, row| film.rates[row.quality as usize]))
            .with("packets", Column::Count(rows().map(|(_, row)| row.packets).collect()))
            .with("request_s", real(&|_, row| row.requested.as_secs_f64()))
            .with("finish_s", real(&|_, row| row.received.map_or(f64::NAN, Time::as_secs_f64)))
            .with("buffer_at_request_s", real(&|_, row| row.buffer.0))
            .with("buffer_s", real(&|_, row| row.buffer.1))
    }
}

impl FilmRecord {
    /// The segments requested until `end`: the first is chosen before the viewer begins.
    fn requested(&self, end: Time) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(move |row| row.requested <= end)
    }

    fn summary(&self, from: Time, end: Time) -> FilmSummary {
        let arrived = self.segments.iter().filter(|row| row.received.is_some() && row.requested >= from);
        let rates: Vec<f64> = arrived.map(|row| self.rates[row.quality as usize]).collect();
        let count = rates.len() as f64;
        let mean = |of: &dyn Fn(f64) -> f64| rates.iter().map(|rate| of(*rate)).sum::<f64>() / count;
        let changes = rates.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let seen = self.viewing.summary(from, end);
        let began = if seen.startup.is_nan() { 0.0 } else { seen.startup };
        let startup = if from == Time::ZERO { began } else { 0.0 };
        let rate = mean(&|rate| rate);
        FilmSummary {
            flow: self.flow,
            start: self.start,
            segments: rates.len() as u64,
            rate,
            utility: mean(&|rate| utility(rate, self.rates[0])),
            switches: changes.clone().filter(|change| *change > 0.0).count() as u64,
            seen,
            qoe: rate - (changes.sum::<f64>() + STALL * (seen.frozen + startup)) / count,
        }
    }
}
