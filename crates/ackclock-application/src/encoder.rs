//! An encoder of video: frames at a constant rate, whose sizes follow a target rate.

use ackclock_random::RandomStream;
use ackclock_units::{Duration, Time};

/// The smallest size of a frame, as a part of the mean: the random variation has no bound of its own.
const LEAST: f64 = 0.1;

/// The properties of an encoder.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderSettings {
    /// The least and the highest rate in bit/s.
    pub rates: [f64; 2],
    /// The time from one frame to the next.
    pub frame_period: Duration,
    /// How slowly the rate follows the target: in this time by all of the difference, if it went on as in the first frame.
    pub lag: Duration,
    /// The scale of the random part of a frame's size (Laplacian, as in RFC 8593, 5.1), as a part of the mean.
    pub variation: f64,
    /// The size of a key frame, as a multiple of another frame's.
    pub key_size: f64,
    /// The frames from one key frame to the next; none for a single one at the beginning and after each pause.
    pub key_interval: Option<u32>,
    /// The pauses, in ascending order: from, and until.
    pub pauses: Vec<(Time, Time)>,
}

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its number, from 0.
    pub number: u32,
    /// Its bytes on the wire, headers included.
    pub bytes: u64,
    /// It is the first of the call, or the first after a pause.
    pub resumes: bool,
}

/// An encoder at work.
#[derive(Clone, Debug)]
pub struct Encoder {
    settings: EncoderSettings,
    random: RandomStream,
    /// The rate in bit/s at which it encodes; none before the first frame.
    rate: Option<f64>,
    next: Time,
    stop: Time,
    number: u32,
    since_key: u32,
    resumes: bool,
}

impl Encoder {
    /// An encoder that captures its first frame at `start`, and none at `stop` or later.
    pub fn new(settings: EncoderSettings, (start, stop): (Time, Time), random: RandomStream) -> Encoder {
        let mut encoder = Encoder {
            settings,
            random,
            rate: None,
            next: start,
            stop,
            number: 0,
            since_key: 0,
            resumes: true,
        };
        encoder.pass_pause();
        encoder
    }

    /// Moves the next frame to the end of the pause in which it would be.
    fn pass_pause(&mut self) {
        for (from, until) in &self.settings.pauses {
            if (*from..*until).contains(&self.next) {
                self.next = *until;
                self.resumes = true;
            }
        }
    }

    /// The time of the next frame; [`Time::MAX`] for none.
    pub fn next_frame_at(&self) -> Time {
        if self.next < self.stop { self.next } else { Time::MAX }
    }

    /// The frame that is due, encoded towards a target rate in bit/s.
    pub fn next_frame(&mut self, target: f64) -> Frame {
        let EncoderSettings { rates: [least, most], frame_period, lag, variation, .. } = self.settings;
        let target = target.clamp(least, most);
        let step = if lag > frame_period { frame_period / lag } else { 1.0 };
        let rate = self.rate.map_or(target, |rate| rate + (target - rate) * step);
        self.rate = Some(rate);
        let random = 1.0 + self.random.exponential(variation) - self.random.exponential(variation);
        let mean = rate * frame_period.as_secs_f64() / 8.0;
        let bytes = mean * self.share() * random.max(LEAST);
        let frame = Frame { number: self.number, bytes: bytes.round() as u64, resumes: self.resumes };
        self.number += 1;
        self.resumes = false;
        self.next += frame_period;
        self.pass_pause();
        frame
    }

    /// The size of this frame as a part of the mean. Key frames at intervals take from the frames between them, so that the rate
    /// stays; one at a beginning comes on top.
    fn share(&mut self) -> f64 {
        let EncoderSettings { key_size, key_interval, .. } = self.settings;
        let is_key = self.resumes || key_interval.is_some_and(|interval| self.since_key + 1 >= interval);
        self.since_key = if is_key { 0 } else { self.since_key + 1 };
        let interval = key_interval.map(f64::from);
        let other = interval.map_or(1.0, |interval| interval / (interval - 1.0 + key_size));
        if is_key { key_size * other } else { other }
    }

    /// The frames encoded so far.
    pub fn frames(&self) -> u32 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn settings() -> EncoderSettings {
        EncoderSettings {
            rates: [150e3, 1.5e6],
            frame_period: Duration::from_millis(40),
            lag: Duration::ZERO,
            variation: 0.0,
            key_size: 1.0,
            key_interval: None,
            pauses: Vec::new(),
        }
    }

    fn encoder(settings: EncoderSettings) -> Encoder {
        let times = (Time::ZERO, Time::from_nanos(100 * SECOND));
        Encoder::new(settings, times, RandomStream::new(1, "encoder"))
    }

    fn bytes(encoder: &mut Encoder, frames: u32, target: f64) -> u64 {
        (0..frames).map(|_| encoder.next_frame(target).bytes).sum()
    }

    /// 1 Mbit/s at 25 frames a second: 5000 bytes each. Beyond the limits of the encoder: 750 and 7500 bytes.
    #[test]
    fn frames_have_the_size_of_the_target_rate_within_the_encoders_limits() {
        let mut encoder = encoder(settings());
        let sizes = [1e6, 1e3, 1e9].map(|target| encoder.next_frame(target).bytes);
        assert_eq!(sizes, [5000, 750, 7500]);
        assert_eq!(encoder.next_frame_at(), Time::from_nanos(3 * SECOND / 25));
    }

    /// Random sizes and key frames at intervals leave the mean: a thousand frames of 5000 bytes, within 2 %.
    #[test]
    fn variation_and_key_frames_leave_the_mean_rate() {
        let key = EncoderSettings { variation: 0.15, key_size: 5.0, key_interval: Some(50), ..settings() };
        let total = bytes(&mut encoder(key.clone()), 1000, 1e6) as f64;
        assert!((total / 5e6 - 1.0).abs() < 0.02, "{total} bytes");
        let mut plain = encoder(EncoderSettings { variation: 0.0, ..key });
        let sizes: Vec<u64> = (0..51).map(|_| plain.next_frame(1e6).bytes).collect();
        // A key frame is five of 54 parts of 50 frames: 4629.6 bytes a part.
        assert_eq!([sizes[0], sizes[1], sizes[49], sizes[50]], [23_148, 4630, 4630, 23_148]);
    }

    /// A lag of ten frames: after one frame a tenth of the way from 0.5 to 1 Mbit/s, after ten 1 - 0.9^10 = 65 %.
    #[test]
    fn the_rate_follows_the_target_with_a_lag() {
        let mut encoder = encoder(EncoderSettings { lag: Duration::from_millis(400), ..settings() });
        assert_eq!(encoder.next_frame(0.5e6).bytes, 2500);
        assert_eq!(encoder.next_frame(1e6).bytes, 2750);
        let last = (0..9).map(|_| encoder.next_frame(1e6).bytes).last();
        assert_eq!(last, Some(4128), "2500 + 2500 * (1 - 0.9^10)");
    }

    /// A pause from 1 s to 3 s: 25 frames, then the next at 3 s, which says so.
    #[test]
    fn a_pause_has_no_frames() {
        let span = (Time::from_nanos(SECOND), Time::from_nanos(3 * SECOND));
        let mut encoder = encoder(EncoderSettings { pauses: vec![span], ..settings() });
        let resumed: Vec<u32> = (0..30)
            .map(|_| encoder.next_frame(1e6))
            .filter(|frame| frame.resumes)
            .map(|frame| frame.number)
            .collect();
        assert_eq!(resumed, [0, 25]);
        assert_eq!(encoder.next_frame_at(), Time::from_nanos(3 * SECOND + SECOND / 5));
    }
}
