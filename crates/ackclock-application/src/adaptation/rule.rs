//! The interface of a bit-rate adaptation: what it knows, and what it decides.

use ackclock_random::RandomStream;

/// The utility of a rate as BOLA has it: the logarithm of the rate relative to the lowest.
pub fn utility(rate: f64, lowest: f64) -> f64 {
    libm::log(rate / lowest)
}

/// A film as its manifest describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The length of a segment, in seconds.
    pub segment: f64,
    /// The mean rate of each quality, in bit/s, ascending.
    pub rates: Vec<f64>,
    /// The size of each segment, relative to the mean of its quality.
    pub shape: Vec<f64>,
    /// The most film that the player's buffer holds, in seconds.
    pub buffer: f64,
}

impl Manifest {
    /// The sizes of segments that vary, relative to the mean: log-normal with a mean of one, and this deviation of the logarithm.
    pub fn varied(segments: usize, sigma: f64, mut random: RandomStream) -> Vec<f64> {
        let median = libm::exp(-sigma * sigma / 2.0);
        (0..segments).map(|_| random.lognormal(median, sigma)).collect()
    }

    /// The number of segments.
    pub fn segments(&self) -> usize {
        self.shape.len()
    }

    /// The highest quality.
    pub fn highest(&self) -> usize {
        self.rates.len() - 1
    }

    /// The size of a segment in this quality, in bits.
    pub fn bits(&self, segment: usize, quality: usize) -> f64 {
        self.rates[quality] * self.segment * self.shape[segment]
    }

    /// This share of the buffer in seconds, or the most that a player finds when it requests a segment, if that is less.
    pub(super) fn cushion_end(&self, share: f64) -> f64 {
        (share * self.buffer).min(self.buffer - self.segment)
    }

    /// The highest quality with at most this rate in bit/s; the lowest if there is none.
    pub fn quality_within(&self, rate: f64) -> usize {
        self.rates.iter().rposition(|of| *of <= rate).unwrap_or(0)
    }
}

/// A segment that has arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Download {
    /// Its size in bits.
    pub bits: f64,
    /// The time from its request to its last packet, in seconds.
    pub time: f64,
}

impl Download {
    /// The rate in bit/s.
    pub fn rate(self) -> f64 {
        self.bits / self.time
    }
}

/// The moment in which a player chooses a segment's quality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<'a> {
    /// The number of the segment, from 0.
    pub segment: usize,
    /// The film that the buffer holds, in seconds: at most the manifest's `buffer` less one segment.
    pub buffer: f64,
    /// The quality of the segment before.
    pub before: Option<usize>,
    /// All segments that have arrived, in order.
    pub downloads: &'a [Download],
}

/// The next request of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The quality to request, from 0.
    pub quality: usize,
    /// The time before the request, in seconds.
    pub wait: f64,
}

impl Choice {
    /// A request at once.
    pub fn now(quality: usize) -> Choice {
        Choice { quality, wait: 0.0 }
    }
}

/// Chooses the quality of each segment of one film.
pub trait Adaptation: Send {
    /// The quality of the next segment, and the time before its request.
    fn choose(&mut self, film: &Manifest, at: &Moment<'_>) -> Choice;
}

/// The harmonic mean of the rates of the latest `samples` downloads in bit/s; none without a download.
pub(super) fn harmonic_mean(downloads: &[Download], samples: usize) -> Option<f64> {
    let latest = &downloads[downloads.len().saturating_sub(samples)..];
    let inverses: f64 = latest.iter().map(|download| 1.0 / download.rate()).sum();
    (!latest.is_empty()).then(|| latest.len() as f64 / inverses)
}
