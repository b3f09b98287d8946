//! `[[call]]`: calls whose rate a congestion control for media decides.

use ackclock_application::EncoderSettings;
use ackclock_congestion::media::{MediaSpec, MediaStart};
use ackclock_units::{Bytes, Duration, Rate, Time};
use serde::Deserialize;

use super::{Codepoint, check_priority, check_times};
use crate::read::error::{Checked, ScenarioError, clip};
use crate::read::key::Key;
use crate::read::quantity;
use crate::topology::NodeIndex;
use crate::traffic::ends::{Ends, Nodes};
use crate::values::packets::LARGEST_PACKET;
use crate::values::schedule::Text;

/// The smallest largest packet of a call: the headers of IPv4, UDP and RTP, and some media.
const SMALLEST_PACKET: u64 = 100;
/// The most frames per second.
const MOST_FRAMES: f64 = 1000.0;
/// The range of the time between reports.
const REPORTS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_secs(10));
/// The longest text of an algorithm.
const LONGEST: usize = 1000;

/// `[[call]]`: calls that are alike, each with media one way and reports on the way back.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CallGroup {
    /// The call's name; with `count` above one it is followed by 1, 2, ...
    pub name: Option<String>,
    /// The number of calls.
    #[serde(default = "one")]
    pub count: u32,
    /// The sending nodes, taken in turn; pairs of the topology if omitted.
    pub from: Option<Nodes>,
    /// The receiving nodes, taken in turn; given if and only if `from` is.
    pub to: Option<Nodes>,
    /// True if the media go the other way, from the receiving to the sending node.
    #[serde(default)]
    pub backward: bool,
    /// The congestion control.
    #[serde(default = "nada")]
    pub algorithm: String,
    /// The least rate of the encoder, on the wire.
    #[serde(default = "least_rate", deserialize_with = "quantity::read")]
    pub min_rate: Rate,
    /// The highest rate of the encoder.
    #[serde(default = "highest_rate", deserialize_with = "quantity::read")]
    pub max_rate: Rate,
    /// The rate before the first report; the least rate if omitted.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub start_rate: Option<Rate>,
    /// Frames per second.
    #[serde(default = "thirty")]
    pub frame_rate: f64,
    /// The time in which the encoder follows a new target.
    #[serde(default, deserialize_with = "quantity::read")]
    pub encoder_lag: Duration,
    /// The scale of the random part of the sizes of frames, as a part of the mean.
    #[serde(default)]
    pub variation: f64,
    /// The size of a key frame, as a multiple of another frame's.
    #[serde(default = "unity")]
    pub key_size: f64,
    /// The frames from one key frame to the next; if omitted, one is at the beginning and after each pause.
    pub key_interval: Option<u32>,
    /// The spans without media, as pairs of times from the beginning of the run.
    #[serde(default)]
    pub pauses: Vec<(Text<Duration>, Text<Duration>)>,
    /// The largest packet on the wire.
    #[serde(default = "largest_packet", deserialize_with = "quantity::read")]
    pub packet: Bytes,
    /// The ECN codepoint of its packets.
    #[serde(default)]
    pub ecn: Codepoint,
    /// The time between two reports; the algorithm's own if omitted.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub feedback_interval: Option<Duration>,
    /// The longest wait in the receiver's jitter buffer for a frame, beyond the least delay of a frame.
    #[serde(default = "jitter_buffer", deserialize_with = "quantity::read")]
    pub jitter_buffer: Duration,
    /// When to start.
    #[serde(default, deserialize_with = "quantity::read")]
    pub start: Duration,
    /// A uniformly distributed part of this is added to the start, drawn for each call.
    #[serde(default, deserialize_with = "quantity::read")]
    pub start_jitter: Duration,
    /// The class of its packets, there and back, in queues that distinguish classes: 0 is the lowest, 7 the highest.
    #[serde(default)]
    pub priority: u8,
    /// When to stop.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub stop: Option<Duration>,
}

/// One call of a scenario.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallSpec<'a> {
    /// Its number over all flows of the scenario, after the flows of `[[flow]]` and `[[udp]]`.
    pub index: u32,
    /// Its name, which no other flow of the scenario has.
    pub name: String,
    /// The sending node.
    pub source: String,
    /// The receiving node.
    pub destination: String,
    /// When it starts.
    pub start: Duration,
    /// Everything it has in common with the other calls of its group.
    pub group: &'a CallGroup,
}

impl CallGroup {
    /// The congestion control, read; none for one of the caller's own, whose names are `custom`.
    ///
    /// # Panics
    /// If it was not checked before.
    pub fn control(&self, custom: &[&str]) -> Option<MediaSpec> {
        let is_own = custom.contains(&self.algorithm.trim());
        (!is_own).then(|| self.algorithm.parse().unwrap_or_else(|error| panic!("{error}")))
    }

    /// The facts with which its congestion control begins.
    pub fn media_start(&self) -> MediaStart {
        let rate = |rate: Rate| rate.bits_per_second() as f64;
        MediaStart {
            min_rate: rate(self.min_rate),
            max_rate: rate(self.max_rate),
            initial_rate: rate(self.start_rate.unwrap_or(self.min_rate)),
            frame_period: self.frame_period(),
            mss: self.packet.get() as u32,
            l4s: self.ecn == Codepoint::Ect1,
        }
    }

    /// Its encoder.
    pub fn encoder(&self) -> EncoderSettings {
        let time = |time: &Text<Duration>| Time::ZERO + time.0;
        EncoderSettings {
            rates: [self.min_rate, self.max_rate].map(|rate| rate.bits_per_second() as f64),
            frame_period: self.frame_period(),
            lag: self.encoder_lag,
            variation: self.variation,
            key_size: self.key_size,
            key_interval: self.key_interval,
            pauses: self.pauses.iter().map(|(from, until)| (time(from), time(until))).collect(),
        }
    }

    fn frame_period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.frame_rate)
    }

    /// The nodes that its calls connect.
    pub(crate) fn ends(&self) -> Ends<'_> {
        Ends { from: self.from.as_ref(), to: self.to.as_ref(), backward: self.backward }
    }

    /// Refuses values that no call can have, in a run until `end`.
    pub(crate) fn check(&self, at: &Key, end: Duration, nodes: &NodeIndex<'_>, custom: &[String]) -> Checked {
        self.ends().check(at, nodes)?;
        check_times(at, self.start, self.start_jitter, self.stop, end)?;
        check_priority(at, self.priority)?;
        self.check_algorithm(at, custom)?;
        self.check_rates(at)?;
        self.check_encoder(at)?;
        if !(SMALLEST_PACKET..=LARGEST_PACKET).contains(&self.packet.get()) {
            let message = format!(
                "found {}; the largest packet of a call has {SMALLEST_PACKET} to {LARGEST_PACKET} bytes on the wire",
                self.packet
            );
            return Err(at.then("packet").wrong(self.packet, message));
        }
        if let Some(interval) = self.feedback_interval {
            at.then("feedback_interval").span(interval, &(REPORTS.0..=REPORTS.1))?;
        }
        self.check_pauses(at)
    }

    /// Refuses a congestion control that neither the catalogue nor `custom` has.
    pub(crate) fn check_algorithm(&self, at: &Key, custom: &[String]) -> Checked {
        let at = at.then("algorithm");
        if custom.iter().any(|name| name == self.algorithm.trim()) {
            return Ok(());
        }
        if self.algorithm.len() > LONGEST {
            return Err(at.wrong(clip(&self.algorithm), "found a text too long for an algorithm"));
        }
        match self.algorithm.parse::<MediaSpec>() {
            Ok(_) => Ok(()),
            Err(error) => Err(ScenarioError {
                nearest: error.nearest.clone(),
                ..at.wrong(clip(&error.found), error.to_string())
            }),
        }
    }

    /// Refuses rates that contradict each other.
    fn check_rates(&self, at: &Key) -> Checked {
        at.then("min_rate").rate(self.min_rate)?;
        if self.max_rate < self.min_rate {
            let message = format!("found {}; at least min_rate, {}", self.max_rate, self.min_rate);
            return Err(at.then("max_rate").wrong(self.max_rate, message));
        }
        match self.start_rate {
            Some(rate) if !(self.min_rate..=self.max_rate).contains(&rate) => {
                let message = format!(
                    "found {rate}; between min_rate, {}, and max_rate, {}",
                    self.min_rate, self.max_rate
                );
                Err(at.then("start_rate").wrong(rate, message))
            }
            _ => Ok(()),
        }
    }

    fn check_encoder(&self, at: &Key) -> Checked {
        let ranges = [
            ("frame_rate", self.frame_rate, (1.0, MOST_FRAMES)),
            ("variation", self.variation, (0.0, 1.0)),
            ("key_size", self.key_size, (1.0, 100.0)),
        ];
        for (name, value, (least, most)) in ranges {
            if !(least..=most).contains(&value) {
                return Err(at.then(name).wrong(value, format!("found {value}; from {least} to {most}")));
            }
        }
        match self.key_interval {
            Some(interval) => at.then("key_interval").count(interval, &(2..=1_000_000)),
            None => Ok(()),
        }
    }

    /// Refuses pauses that end before they begin, or overlap.
    fn check_pauses(&self, at: &Key) -> Checked {
        let mut before = Duration::ZERO;
        for (number, (from, until)) in self.pauses.iter().enumerate() {
            let at = at.then("pauses").then(number);
            if from.0 < before {
                let message =
                    format!("found {}; it comes after the end of the pause before, {before}", from.0);
                return Err(at.wrong(from.0, message));
            }
            if until.0 <= from.0 {
                return Err(at.wrong(
                    until.0,
                    format!("found {}; a pause ends after its beginning, {}", until.0, from.0),
                ));
            }
            before = until.0;
        }
        Ok(())
    }
}

fn one() -> u32 {
    1
}

fn nada() -> String {
    "nada".to_owned()
}

fn unity() -> f64 {
    1.0
}

fn thirty() -> f64 {
    30.0
}

fn least_rate() -> Rate {
    Rate::from_bits_per_second(150_000)
}

fn highest_rate() -> Rate {
    Rate::from_bits_per_second(1_500_000)
}

fn largest_packet() -> Bytes {
    Bytes::new(1200)
}

fn jitter_buffer() -> Duration {
    Duration::from_millis(500)
}
