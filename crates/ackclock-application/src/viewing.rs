//! The buffer of a viewer of a film: when it plays, and when it runs dry.

use ackclock_units::{Duration, Time};

/// The film that a viewer has and watches.
///
/// The film begins to play when the buffer holds `startup`, and plays on after a stall when it holds `resume`; in any case when the last
/// segment is there. A stall begins when the buffer is empty and the film is not over.
#[derive(Clone, Debug)]
pub struct Viewing {
    config: ViewingConfig,
    begin: Time,
    received: usize,
    /// The buffer at the time `at`.
    level: Duration,
    at: Time,
    plays: bool,
    /// When the film began to play.
    started: Option<Time>,
    /// When it was over.
    over: Option<Time>,
    stalls: Vec<Stall>,
}

/// When a film plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewingConfig {
    /// The length of a segment.
    pub segment: Duration,
    /// The buffer from which the film begins to play.
    pub startup: Duration,
    /// The buffer from which it plays on after a stall.
    pub resume: Duration,
    /// The number of segments.
    pub segments: usize,
}

/// A time in which a film that has begun does not play.
#[derive(Clone, Copy, Debug)]
struct Stall {
    from: Time,
    /// None while it goes on.
    until: Option<Time>,
}

/// The experience of a viewer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewingSummary {
    /// The time from the viewer's beginning to the film's, in seconds; NaN if this has not begun.
    pub startup: f64,
    /// The stalls.
    pub freezes: u64,
    /// The longest of them, in seconds.
    pub longest_freeze: f64,
    /// Their sum, in seconds.
    pub frozen: f64,
    /// The time without film: of the start-up, and of the stalls, in seconds.
    pub waited: f64,
    /// The time of playing and stalls together, in seconds.
    pub watched: f64,
    /// When the film is over.
    pub over: Option<Time>,
}

impl Viewing {
    /// A viewer who begins at this time.
    pub fn new(config: ViewingConfig, begin: Time) -> Viewing {
        Viewing {
            config,
            begin,
            received: 0,
            level: Duration::ZERO,
            at: begin,
            plays: false,
            started: None,
            over: None,
            stalls: Vec::new(),
        }
    }

    /// Plays until `now`.
    fn advance(&mut self, now: Time) {
        let passed = now.since(self.at);
        if self.plays && passed > self.level {
            let dry = self.at + self.level;
            self.plays = false;
            self.level = Duration::ZERO;
            if self.received == self.config.segments {
                self.over = Some(dry);
            } else {
                self.stalls.push(Stall { from: dry, until: None });
            }
        } else if self.plays {
            self.level = self.level.saturating_sub(passed);
        }
        self.at = now;
    }

    /// The next segment is complete.
    pub fn on_segment(&mut self, now: Time) {
        self.advance(now);
        self.received += 1;
        self.level = Duration::from_nanos(self.level.as_nanos() + self.config.segment.as_nanos());
        let needed = if self.started.is_some() { self.config.resume } else { self.config.startup };
        if !self.plays && (self.level >= needed || self.received == self.config.segments) {
            self.plays = true;
            self.started.get_or_insert(now);
            if let Some(stall) = self.stalls.last_mut() {
                stall.until.get_or_insert(now);
            }
        }
    }

    /// The film that the buffer holds.
    pub fn level(&mut self, now: Time) -> Duration {
        self.advance(now);
        self.level
    }

    /// The time of the latest call.
    pub fn now(&self) -> Time {
        self.at
    }

    /// The view between two times: the stalls that begin between them, and the beginning of the film in any case.
    pub fn summary(&self, from: Time, until: Time) -> ViewingSummary {
        let mut end = self.clone();
        end.advance(until.max(self.at));
        let within = end.stalls.iter().filter(|stall| (from..until).contains(&stall.from));
        let lengths = within.map(|stall| stall.until.map_or(until, |end| end.min(until)).since(stall.from));
        let lengths: Vec<f64> = lengths.map(Duration::as_secs_f64).collect();
        let frozen = lengths.iter().fold(0.0, |sum, length| sum + length);
        let begun = end.started.map_or(until, |started| started.min(until));
        let startup = begun.max(from).since(self.begin.max(from).min(until)).as_secs_f64();
        let over = end.over.filter(|over| *over <= until);
        ViewingSummary {
            startup: end.started.map_or(f64::NAN, |started| started.since(self.begin).as_secs_f64()),
            freezes: lengths.len() as u64,
            longest_freeze: lengths.iter().copied().fold(0.0, f64::max),
            frozen,
            waited: startup + frozen,
            watched: end
                .started
                .map_or(0.0, |started| over.unwrap_or(until).since(started.max(from)).as_secs_f64()),
            over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Time {
        Time::ZERO + Duration::from_secs_f64(seconds)
    }

    /// A film of 4-s segments that arrive at these times in seconds, and plays from `startup` segments on.
    fn viewed(arrivals: &[f64], startup: u64, resume: u64, segments: usize) -> Viewing {
        let config = ViewingConfig {
            segment: Duration::from_secs(4),
            startup: Duration::from_secs(4 * startup),
            resume: Duration::from_secs(4 * resume),
            segments,
        };
        let mut viewing = Viewing::new(config, seconds(1.0));
        for at in arrivals {
            viewing.on_segment(seconds(*at));
        }
        viewing
    }

    /// It plays two segments from 3 s to 11 s, and the third from 13 s on.
    #[test]
    fn a_buffer_falls_by_a_second_a_second_and_rises_by_a_segment() {
        let mut viewing = viewed(&[2.0, 3.0, 13.0], 2, 1, 100);
        assert_eq!(viewing.level(seconds(13.5)), Duration::from_millis(3500));
        let seen = viewing.summary(Time::ZERO, seconds(14.0));
        assert_eq!((seen.startup, seen.freezes, seen.watched), (2.0, 1, 11.0));
        assert_eq!((seen.longest_freeze, seen.frozen), (2.0, 2.0), "dry from 11 s to 13 s");
    }

    /// Dry at 6 s. One segment at 8 s is too little for a `resume` of two; the second comes at 11 s.
    #[test]
    fn a_stall_lasts_until_the_buffer_holds_what_it_should() {
        let seen = viewed(&[2.0, 8.0, 11.0], 1, 2, 100).summary(Time::ZERO, seconds(12.0));
        assert_eq!((seen.freezes, seen.frozen), (1, 5.0));
    }

    #[test]
    fn a_segment_that_comes_in_the_last_moment_is_in_time() {
        let seen = viewed(&[2.0, 6.0, 10.0], 1, 1, 100).summary(Time::ZERO, seconds(14.0));
        assert_eq!((seen.freezes, seen.frozen), (0, 0.0));
    }

    #[test]
    fn a_stall_at_the_end_of_the_run_counts_until_then_and_the_end_of_a_film_is_none() {
        let cut = viewed(&[2.0, 3.0], 1, 1, 3).summary(Time::ZERO, seconds(14.0));
        assert_eq!((cut.freezes, cut.frozen), (1, 4.0));
        let whole = viewed(&[2.0, 3.0, 4.0], 1, 1, 3).summary(Time::ZERO, seconds(100.0));
        assert_eq!((whole.freezes, whole.watched), (0, 12.0));
    }

    /// A film shorter than the start-up's buffer plays when all of it is there.
    #[test]
    fn the_last_segment_begins_the_film() {
        let seen = viewed(&[2.0, 5.0], 10, 10, 2).summary(Time::ZERO, seconds(6.0));
        assert_eq!((seen.startup, seen.freezes), (4.0, 0));
    }
}
