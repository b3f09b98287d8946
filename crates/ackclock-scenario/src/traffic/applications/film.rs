//! A viewer whose player fetches a film in segments over one connection.

use ackclock_application::{self as application, AdaptationSpec, FilmConfig, Manifest, ViewingConfig};
use ackclock_units::{Duration, Rate, Time};
use serde::Deserialize;

use super::kind::{Install, Kind, OnlyTcp, Traits};
use crate::read::error::{Checked, ScenarioError, clip};
use crate::read::key::Key;
use crate::read::quantity;

/// The lengths of a segment.
const SEGMENTS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));
/// The most segments of a film, and qualities of a ladder.
const MOST_SEGMENTS: u64 = 100_000;
const MOST_QUALITIES: usize = 16;
/// The largest variation of sizes.
const MOST_VARIATION: f64 = 1.0;
/// The longest text of an adaptation.
const LONGEST: usize = 1000;

/// Viewers who watch a film; each flow is one viewer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Film {
    /// The film and the player.
    pub film: FilmKeys,
}

/// `film` of a `[[flow]]`: a film and its player.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FilmKeys {
    /// The bit-rate adaptation.
    #[serde(default = "bola")]
    pub adaptation: String,
    /// The mean rates of the qualities, ascending.
    #[serde(default = "envivio", deserialize_with = "quantity::read_list")]
    pub ladder: Vec<Rate>,
    /// The length of a segment.
    #[serde(default = "four_seconds", deserialize_with = "quantity::read")]
    pub segment: Duration,
    /// The length of the film; the last segment is whole.
    #[serde(default = "one_hour", deserialize_with = "quantity::read")]
    pub length: Duration,
    /// The standard deviation of the logarithm of a segment's size, in all qualities alike.
    #[serde(default = "some_variation")]
    pub variation: f64,
    /// The most film that the player's buffer holds.
    #[serde(default = "one_minute", deserialize_with = "quantity::read")]
    pub buffer: Duration,
    /// The buffer from which the film begins to play; one segment if omitted.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub startup: Option<Duration>,
    /// The buffer from which it plays on after a stall; one segment if omitted.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub resume: Option<Duration>,
}

impl FilmKeys {
    /// The mean rates of the qualities, in bit/s.
    pub fn rates(&self) -> Vec<f64> {
        self.ladder.iter().map(|rate| rate.bits_per_second() as f64).collect()
    }

    /// When the film plays.
    pub fn viewing(&self) -> ViewingConfig {
        ViewingConfig {
            segment: self.segment,
            startup: self.startup.unwrap_or(self.segment),
            resume: self.resume.unwrap_or(self.segment),
            segments: self.segments() as usize,
        }
    }

    /// The number of segments.
    fn segments(&self) -> u64 {
        self.length.as_nanos().div_ceil(self.segment.as_nanos().max(1))
    }

    /// Bytes of a viewer: the sizes of the segments, and the records of those that a run of this length fetches.
    pub(crate) fn memory(&self, run: Duration) -> u64 {
        let fetched = (run.as_nanos() + self.buffer.as_nanos()) / self.segment.as_nanos().max(1);
        1000 + 8 * self.segments() + 100 * fetched.min(self.segments())
    }

    fn check(&self, at: &Key) -> Checked {
        self.check_adaptation(at)?;
        self.check_ladder(at)?;
        at.then("segment").span(self.segment, &(SEGMENTS.0..=SEGMENTS.1))?;
        if !(1..=MOST_SEGMENTS).contains(&self.segments()) {
            let message = format!(
                "found {}, which has {} segments of {}; a film has 1 to {MOST_SEGMENTS}",
                self.length,
                self.segments(),
                self.segment
            );
            return Err(at.then("length").wrong(self.length, message));
        }
        if !(0.0..=MOST_VARIATION).contains(&self.variation) {
            let message = format!("found {}; from 0 to {MOST_VARIATION}", self.variation);
            return Err(at.then("variation").wrong(self.variation, message));
        }
        self.check_buffers(at)
    }

    fn check_adaptation(&self, at: &Key) -> Checked {
        let at = at.then("adaptation");
        if self.adaptation.len() > LONGEST {
            return Err(at.wrong(clip(&self.adaptation), "found a text too long for an adaptation"));
        }
        match self.adaptation.parse::<AdaptationSpec>() {
            Ok(_) => Ok(()),
            Err(error) => Err(ScenarioError {
                nearest: error.nearest.clone(),
                ..at.wrong(clip(&error.found), error.to_string())
            }),
        }
    }

    fn check_ladder(&self, at: &Key) -> Checked {
        let at = at.then("ladder");
        if !(1..=MOST_QUALITIES).contains(&self.ladder.len()) {
            let found = self.ladder.len();
            return Err(at.wrong(found, format!("found {found} rates; a ladder has 1 to {MOST_QUALITIES}")));
        }
        for (number, rate) in self.ladder.iter().enumerate() {
            let at = at.then(number);
            at.rate(*rate)?;
            let before = number.checked_sub(1).map(|before| self.ladder[before]);
            if let Some(before) = before.filter(|before| before >= rate) {
                let message = format!("found {rate} after {before}; the rates of a ladder ascend");
                return Err(at.wrong(rate, message));
            }
        }
        Ok(())
    }

    /// A player that waits for room plays: the buffers with which it begins to play leave room for a segment.
    fn check_buffers(&self, at: &Key) -> Checked {
        let least = self.segment.saturating_mul(2);
        at.then("buffer").span(self.buffer, &(least..=Duration::from_secs(86_400)))?;
        let most = self.buffer.saturating_sub(self.segment);
        for (name, value) in [("startup", self.startup), ("resume", self.resume)] {
            if let Some(value) = value {
                at.then(name).span(value, &(Duration::ZERO..=most))?;
            }
        }
        Ok(())
    }
}

impl Kind for Film {
    const NAME: &'static str = "film";
    const ASKED_BY: &'static [&'static str] = &["film"];

    fn traits(&self) -> Traits {
        let only_tcp =
            OnlyTcp { key: &["film"], cannot: "does not carry requests and segments over one connection" };
        Traits { is_two_way: true, only_tcp: Some(only_tcp), ..Traits::default() }
    }

    fn check(&self, at: &Key) -> Checked {
        self.film.check(&at.then("film"))
    }

    fn install(&self, stop: Time) -> Install {
        let film = self.film.clone();
        Box::new(move |at| {
            let manifest = Manifest {
                segment: film.segment.as_secs_f64(),
                rates: film.rates(),
                shape: Manifest::varied(film.segments() as usize, film.variation, at.random("film")),
                buffer: film.buffer.as_secs_f64(),
            };
            let adaptation = film.adaptation.parse().unwrap_or_else(|error| panic!("{error}"));
            let (viewing, buffer) = (film.viewing(), film.buffer);
            let config = FilmConfig { manifest, viewing, buffer, adaptation, stop };
            Box::new(application::Film::new(config, at.start, at.payload.get()))
        })
    }
}

fn bola() -> String {
    "bola".to_owned()
}

/// The ladder of the film Envivio, of the DASH reference client, in Yin et al. 2015 and Mao et al. 2017.
fn envivio() -> Vec<Rate> {
    [300, 750, 1200, 1850, 2850, 4300].map(|kbit| Rate::from_bits_per_second(kbit * 1000)).to_vec()
}

fn four_seconds() -> Duration {
    Duration::from_secs(4)
}

fn one_minute() -> Duration {
    Duration::from_secs(60)
}

fn one_hour() -> Duration {
    Duration::from_secs(3600)
}

/// The middle of that film's qualities, which have 0.05 to 0.1.
fn some_variation() -> f64 {
    0.08
}
