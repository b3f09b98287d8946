//! A viewer who watches a film: a player requests its segments, one after the other, over one connection.

use ackclock_catalogue::{Entry, Key};
use ackclock_units::{Duration, Time};

use crate::adaptation::{Adaptation, AdaptationSpec, Choice, Download, Manifest, Moment};
use crate::viewing::{Viewing, ViewingConfig};
use crate::{Action, Application, Delivery, Needs, Report};

/// The entry of [`Film`].
pub(crate) const ENTRY: Entry = Entry {
    kind: "application",
    name: "film",
    title: "a viewer whose player fetches a film in segments, and adapts their quality",
    source: "Huang et al. 2014; Yin et al. 2015; Spiteri, Urgaonkar and Sitaraman 2016",
    table: "flow",
    keys: &[Key::required(
        "film",
        "{ adaptation = \"bola\" }",
        "the adaptation, the ladder of rates, the lengths of segments, film and buffer, and when the film plays",
    )],
    ..Entry::PLAIN
};

/// The socket at which requests are written, and that of the segments.
const CLIENT: u32 = 0;
const SERVER: u32 = 1;
/// The packets of a request.
const REQUEST: u64 = 1;

/// A viewer's film and player.
#[derive(Clone, Debug)]
pub struct FilmConfig {
    /// The film.
    pub manifest: Manifest,
    /// When it plays.
    pub viewing: ViewingConfig,
    /// The most film that the buffer holds, as in the manifest.
    pub buffer: Duration,
    /// The adaptation of the quality.
    pub adaptation: AdaptationSpec,
    /// The time from which no segment is requested; [`Time::MAX`] for never.
    pub stop: Time,
}

/// The state of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It waits until the buffer has room for a segment.
    Full,
    /// It waits before it requests a segment of this quality, since the adaptation wants it to.
    Holding(usize),
    /// The request is under way.
    Request,
    /// The first packet of the segment is under way.
    Response,
    /// Part of the segment has arrived.
    Receiving,
    /// The film or the time is over.
    Over,
}

/// One viewer.
pub struct Film {
    config: FilmConfig,
    /// The payload of a packet, in bits.
    payload: f64,
    adaptation: Box<dyn Adaptation>,
    viewing: Viewing,
    phase: Phase,
    start: Time,
    /// The segment that is requested next, or under way, and its quality.
    segment: usize,
    quality: Option<usize>,
    requested_at: Time,
    downloads: Vec<Download>,
    /// The packets of all requests, and of all segments.
    wanted: [u64; 2],
    /// The packets of the segment under way.
    packets: u64,
}

impl Film {
    /// A viewer who begins at `start`, over packets with this many bytes of payload.
    pub fn new(config: FilmConfig, start: Time, payload: u64) -> Film {
        let viewing = Viewing::new(config.viewing, start);
        let adaptation = config.adaptation.build();
        Film {
            payload: 8.0 * payload as f64,
            config,
            adaptation,
            viewing,
            phase: Phase::Over,
            start,
            segment: 0,
            quality: None,
            requested_at: start,
            downloads: Vec::new(),
            wanted: [0; 2],
            packets: 0,
        }
    }

    /// The choice for the next segment.
    fn choose(&mut self, now: Time) -> Choice {
        let at = Moment {
            segment: self.segment,
            buffer: self.viewing.level(now).as_secs_f64(),
            before: self.quality,
            downloads: &self.downloads,
        };
        self.adaptation.choose(&self.config.manifest, &at)
    }

    /// Notes that the next segment is requested, in this quality.
    fn request(&mut self, now: Time, quality: usize, actions: &mut Vec<Action>) {
        let bits = self.config.manifest.bits(self.segment, quality);
        self.packets = (bits / self.payload).ceil().max(1.0) as u64;
        self.wanted[SERVER as usize] += REQUEST;
        self.wanted[CLIENT as usize] += self.packets;
        (self.quality, self.requested_at, self.phase) = (Some(quality), now, Phase::Request);
        actions.extend([
            Action::Report(Report::SegmentRequested {
                segment: self.segment as u32,
                quality: quality as u32,
            }),
            Action::Report(Report::Requested { request: REQUEST, response: self.packets }),
        ]);
    }

    /// Requests the next segment over the open connection, or ends.
    fn continue_with(&mut self, now: Time, quality: usize, actions: &mut Vec<Action>) {
        if now >= self.config.stop {
            return self.end(actions);
        }
        self.request(now, quality, actions);
        actions.push(Action::Write { socket: CLIENT, packets: REQUEST });
    }

    fn end(&mut self, actions: &mut Vec<Action>) {
        self.phase = Phase::Over;
        actions.extend([Action::Close { socket: CLIENT }, Action::Close { socket: SERVER }]);
    }

    /// The buffer has room for the next segment.
    fn on_room(&mut self, now: Time, actions: &mut Vec<Action>) {
        let Choice { quality, wait } = self.choose(now);
        let wait = Duration::from_secs_f64(wait);
        if wait.is_zero() {
            return self.continue_with(now, quality, actions);
        }
        self.phase = Phase::Holding(quality);
        actions.push(Action::Timer(now + wait));
    }

    /// The whole segment has arrived.
    fn on_segment(&mut self, now: Time, actions: &mut Vec<Action>) {
        actions.push(Action::Report(Report::ResponseReceived));
        self.viewing.on_segment(now);
        let bits = self.config.manifest.bits(self.segment, self.quality.unwrap_or(0));
        self.downloads.push(Download { bits, time: now.since(self.requested_at).as_secs_f64() });
        self.segment += 1;
        if self.segment == self.config.viewing.segments {
            return self.end(actions);
        }
        let room = self.config.buffer.saturating_sub(self.config.viewing.segment);
        let excess = self.viewing.level(now).saturating_sub(room);
        if excess.is_zero() {
            return self.on_room(now, actions);
        }
        self.phase = Phase::Full;
        actions.push(Action::Timer(now + excess));
    }
}

impl Application for Film {
    fn needs(&self) -> Needs {
        Needs::Deliveries
    }

    fn start(&mut self, actions: &mut Vec<Action>) {
        let now = self.start;
        if now >= self.config.stop {
            return;
        }
        // The application handles the stop itself: no segment is cut off.
        let stop = Time::MAX;
        actions.push(Action::Open {
            socket: CLIENT,
            at: now,
            packets: Some(REQUEST),
            stop,
            persistent: true,
        });
        let Choice { quality, .. } = self.choose(now);
        self.request(now, quality, actions);
    }

    fn on_timer(&mut self, now: Time, actions: &mut Vec<Action>) {
        match self.phase {
            Phase::Full => self.on_room(now, actions),
            Phase::Holding(quality) => self.continue_with(now, quality, actions),
            phase => debug_assert!(false, "a timer in {phase:?}"),
        }
    }

    fn on_delivered(&mut self, now: Time, socket: u32, delivery: Delivery, actions: &mut Vec<Action>) {
        let delivered = delivery.packets;
        let is_whole = delivered >= self.wanted[socket as usize];
        match (socket, self.phase) {
            (SERVER, Phase::Request) if is_whole => {
                self.phase = Phase::Response;
                actions.push(Action::Report(Report::RequestReceived));
                actions.push(Action::Write { socket: SERVER, packets: self.packets });
            }
            (CLIENT, Phase::Response | Phase::Receiving) => {
                // Data of the segment before does not come again, so this belongs to the segment.
                if self.phase == Phase::Response && delivered > self.wanted[CLIENT as usize] - self.packets {
                    self.phase = Phase::Receiving;
                    actions.push(Action::Report(Report::ResponseBegun));
                }
                if is_whole {
                    self.on_segment(now, actions);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The payload of a packet: 4 Mbit of film are 400 packets.
    const PAYLOAD: u64 = 1250;

    fn config(adaptation: &str, rates: &[f64], segments: usize) -> FilmConfig {
        let seconds = Duration::from_secs;
        let manifest = Manifest {
            segment: 4.0,
            rates: rates.iter().map(|rate| rate * 1e6).collect(),
            shape: vec![1.0; segments],
            buffer: 20.0,
        };
        let viewing =
            ViewingConfig { segment: seconds(4), startup: seconds(4), resume: seconds(4), segments };
        let adaptation = adaptation.parse().unwrap();
        FilmConfig { manifest, viewing, buffer: seconds(20), adaptation, stop: Time::MAX }
    }

    /// A segment that a viewer has fetched: its quality, when it was requested, and the buffer then with it, in seconds.
    #[derive(Debug, PartialEq)]
    struct Fetched {
        quality: usize,
        requested: f64,
        level: f64,
    }

    /// Lets a viewer watch over a path without delay whose rate in Mbit/s depends on the time of the request, until `until` seconds.
    fn watched(config: &FilmConfig, rate: impl Fn(f64) -> f64, until: f64) -> (Film, Vec<Fetched>) {
        let mut film = Film::new(config.clone(), Time::ZERO, PAYLOAD);
        let (mut actions, mut fetched, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
        let mut delivered = [0_u64; 2];
        film.start(&mut actions);
        while now.as_secs_f64() < until && film.phase != Phase::Over {
            let timer = actions.iter().find_map(|action| match action {
                Action::Timer(time) => Some(*time),
                _ => None,
            });
            actions.clear();
            if let Some(time) = timer {
                now = time;
                film.on_timer(now, &mut actions);
                continue;
            }
            delivered[0] += 1;
            let request = Delivery { packets: delivered[0], ..Delivery::default() };
            film.on_delivered(now, SERVER, request, &mut actions);
            let requested = now.as_secs_f64();
            let took = film.packets as f64 * 8.0 * PAYLOAD as f64 / (1e6 * rate(requested));
            now += Duration::from_secs_f64(took);
            delivered[1] += film.packets;
            let quality = film.quality.unwrap();
            let segment = Delivery { packets: delivered[1], ..Delivery::default() };
            actions.clear();
            film.on_delivered(now, CLIENT, segment, &mut actions);
            fetched.push(Fetched { quality, requested, level: film.viewing.level(now).as_secs_f64() });
        }
        (film, fetched)
    }

    #[test]
    fn a_path_faster_than_the_film_ends_at_the_highest_quality_with_a_full_buffer() {
        for entry in crate::ADAPTATIONS {
            let config = config(entry.name, &[1.0, 2.0, 4.0], 100);
            let (film, fetched) = watched(&config, |_| 8.0, 200.0);
            let last = fetched.last().unwrap();
            assert_eq!(last.quality, 2, "{}", entry.name);
            let seen = film.viewing.summary(Time::ZERO, film.viewing.now());
            assert_eq!(seen.freezes, 0, "{}", entry.name);
            // Requested at 16 s, when there is room for a segment, which takes 2 s.
            assert!((last.level - 18.0).abs() < 1e-6, "{}: {} s", entry.name, last.level);
        }
    }

    /// 3 Mbit/s carry 2 Mbit/s, not 4: the buffer fills, and the player requests a segment every 4 s.
    #[test]
    fn the_rate_ends_at_the_highest_that_the_path_carries() {
        let config = config("rate", &[1.0, 2.0, 4.0], 100);
        let (_, fetched) = watched(&config, |_| 3.0, 300.0);
        let last = &fetched[fetched.len() - 10..];
        for pair in last.windows(2) {
            assert_eq!(pair[1].quality, 1);
            assert!((pair[1].requested - pair[0].requested - 4.0).abs() < 1e-6, "{pair:?}");
        }
    }

    /// A buffer-based player has no rate of its own: between 2 and 4 Mbit/s it changes between both, so that the mean is the path's.
    #[test]
    fn bba_alternates_between_the_rates_around_that_of_the_path() {
        let config = config("bba-0", &[1.0, 2.0, 4.0], 1000);
        let (_, fetched) = watched(&config, |_| 3.0, 2000.0);
        let later = &fetched[100..];
        assert!(later.iter().all(|segment| segment.quality > 0));
        let rates: f64 = later.iter().map(|segment| config.manifest.rates[segment.quality]).sum();
        let mean = rates / later.len() as f64;
        assert!((mean - 3e6).abs() < 0.05e6, "{mean}");
    }

    /// A film of 1 Mbit/s over 2 Mbit/s: a segment is requested at 16 s of buffer. From 100 s on the path has 0.5 Mbit/s, and a segment takes 8 s. The
    /// first three come in time, the third in the last moment. Each one after that is 4 s late.
    #[test]
    fn a_path_that_becomes_slower_than_the_film_stalls_for_the_time_that_is_missing() {
        let config = config("bola", &[1.0], 1000);
        let (film, fetched) = watched(&config, |now| if now < 100.0 { 2.0 } else { 0.5 }, 200.0);
        let slow = fetched.iter().filter(|segment| segment.requested >= 100.0).count() as u64;
        assert!(slow > 10);
        let seen = film.viewing.summary(Time::ZERO, film.viewing.now());
        assert_eq!(seen.freezes, slow - 3);
        assert!((seen.frozen - 4.0 * (slow - 3) as f64).abs() < 1e-6, "{seen:?}");
        assert!((seen.longest_freeze - 4.0).abs() < 1e-6, "{seen:?}");
    }

    #[test]
    fn nothing_is_requested_after_the_stop_or_the_last_segment() {
        let whole = config("rate", &[1.0], 7);
        assert_eq!(watched(&whole, |_| 2.0, 1e3).1.len(), 7);
        let stopped = FilmConfig { stop: Time::ZERO + Duration::from_secs(9), ..whole };
        let (film, fetched) = watched(&stopped, |_| 2.0, 1e3);
        assert!(film.phase == Phase::Over && fetched.iter().all(|segment| segment.requested < 9.0));
    }
}
