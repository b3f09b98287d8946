//! The jitter buffer of a receiver of video: which frames are shown, and when.

use ackclock_units::{Duration, Time};

/// The part of the difference by which the buffer's delay falls towards the delay of a frame that comes early.
const SHRINKING: f64 = 0.005;

/// The frames whose durations are in the average of [`freezes`](PlayoutSummary::freezes): W3C, webrtc-stats, `freezeCount`.
const AVERAGED: usize = 30;
/// A gap is a freeze above this multiple of the average, and above the average and this time.
const MULTIPLE: f64 = 3.0;
const LONGER: f64 = 0.150;

/// A packet of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePacket {
    /// The number of the frame.
    pub frame: u32,
    /// The packets of the frame.
    pub packets: u16,
    /// When the frame was captured.
    pub captured: Time,
}

/// A frame that is shown.
#[derive(Clone, Copy, Debug)]
struct Shown {
    frame: u32,
    captured: Time,
    at: Time,
}

/// A jitter buffer with an adaptive delay.
///
/// A frame is shown at its capture and the buffer's delay. A frame that is complete later than this is shown at once, and the delay
/// rises to its delay; frames that come early lower it slowly. A frame that is complete later than the bound, counted
/// from the least delay of a frame, or after a later frame was shown, is not shown; nor is one that is never complete. Frames do not depend
/// on each other: the decoder conceals what is missing.
#[derive(Clone, Debug)]
pub struct Playout {
    bound: Duration,
    /// Frames, in order, and the packets that they still lack.
    incomplete: Vec<(u32, u16)>,
    /// The least delay of a complete frame.
    least: Duration,
    /// The delay of the buffer.
    delay: Duration,
    shown: Vec<Shown>,
    /// The highest number of a frame that is shown.
    highest: Option<u32>,
    /// Frames that were complete too late.
    late: u64,
}

/// The view of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayoutSummary {
    /// Frames shown.
    pub shown: u64,
    /// The gaps between frames that count as freezes: at least max(3 averages, average + 150 ms), with the average of the last 30 gaps
    /// (W3C, Identifiers for WebRTC's Statistics API, `freezeCount`).
    pub freezes: u64,
    /// The longest of them, in seconds.
    pub longest_freeze: f64,
    /// Their sum, in seconds.
    pub frozen: f64,
    /// The time from capture to view that 95 % of the frames shown do not exceed, in seconds.
    pub delay_p95: f64,
}

impl Playout {
    /// An empty buffer whose delay is at most `bound` above the least delay of a frame.
    pub fn new(bound: Duration) -> Playout {
        Playout {
            bound,
            incomplete: Vec::new(),
            least: Duration::MAX,
            delay: Duration::ZERO,
            shown: Vec::new(),
            highest: None,
            late: 0,
        }
    }

    /// Takes a packet that arrived for the first time.
    pub fn on_packet(&mut self, now: Time, packet: &FramePacket) {
        if packet.packets == 1 || self.completes(packet) {
            self.complete(now, packet);
        }
    }

    /// Takes a packet of a frame of several; true if it is the last that the frame lacked.
    fn completes(&mut self, packet: &FramePacket) -> bool {
        // Nearly always one of the latest frames.
        let before = self.incomplete.iter().rposition(|(frame, _)| *frame <= packet.frame);
        let place = match before {
            Some(place) if self.incomplete[place].0 == packet.frame => place,
            before => {
                let place = before.map_or(0, |before| before + 1);
                self.incomplete.insert(place, (packet.frame, packet.packets));
                place
            }
        };
        let missing = &mut self.incomplete[place].1;
        *missing = missing.saturating_sub(1);
        let is_complete = *missing == 0;
        if is_complete {
            self.incomplete.remove(place);
        }
        is_complete
    }

    fn complete(&mut self, now: Time, packet: &FramePacket) {
        let delay = now.since(packet.captured);
        self.least = self.least.min(delay);
        if self.is_late(now, packet.frame, delay) {
            self.late += 1;
            return;
        }
        let excess = self.delay.saturating_sub(delay);
        self.delay =
            if excess.is_zero() { delay } else { self.delay.saturating_sub(excess.mul_f64(SHRINKING)) };
        let at = now.max(packet.captured + self.delay);
        self.highest = self.highest.max(Some(packet.frame));
        self.shown.push(Shown { frame: packet.frame, captured: packet.captured, at });
    }

    /// True if a frame is complete too late to be shown.
    fn is_late(&self, now: Time, frame: u32, delay: Duration) -> bool {
        if delay > self.least + self.bound {
            return true;
        }
        let mut latest = self.shown.iter().rev().take(AVERAGED);
        self.highest > Some(frame) && latest.any(|later| later.frame > frame && later.at <= now)
    }

    /// The view of the frames captured from `from` on, until `until`. `resumed` has the numbers of the frames that follow a
    /// pause, before which a gap is no freeze. A gap lasts until `until` if no frame ends it.
    ///
    /// Besides, the freezes: when the last frame before each was shown, and how long it stayed, in seconds.
    pub fn summary(&self, from: Time, until: Time, resumed: &[u32]) -> (PlayoutSummary, Vec<(Time, f64)>) {
        let shown = self.view(from, until);
        let freezes = freezes(&shown, until, resumed);
        let mut summary = PlayoutSummary {
            shown: shown.len() as u64,
            freezes: freezes.len() as u64,
            longest_freeze: freezes.iter().map(|(_, length)| *length).fold(0.0, f64::max),
            frozen: freezes.iter().fold(0.0, |sum, (_, length)| sum + length),
            delay_p95: f64::NAN,
        };
        let mut delays: Vec<f64> =
            shown.iter().map(|shown| shown.at.since(shown.captured).as_secs_f64()).collect();
        let rank = (0.95 * delays.len() as f64).ceil().max(1.0) as usize;
        if rank <= delays.len() {
            summary.delay_p95 = *delays.select_nth_unstable_by(rank - 1, f64::total_cmp).1;
        }
        (summary, freezes)
    }

    /// The frames captured from `from` on and shown until `until`, in their order.
    fn view(&self, from: Time, until: Time) -> Vec<Shown> {
        let mut shown: Vec<Shown> =
            self.shown.iter().copied().filter(|shown| shown.captured >= from && shown.at <= until).collect();
        shown.sort_unstable_by_key(|shown| (shown.frame, shown.at));
        shown
    }
}

/// The latest gaps between frames.
#[derive(Default)]
struct Gaps {
    latest: Vec<f64>,
    next: usize,
}

impl Gaps {
    /// Takes a gap; true if it is a freeze.
    fn note(&mut self, gap: f64) -> bool {
        let is_freeze = self.is_freeze(gap);
        if self.latest.len() < AVERAGED {
            self.latest.push(gap);
        } else {
            self.latest[self.next] = gap;
            self.next = (self.next + 1) % AVERAGED;
        }
        is_freeze
    }

    fn is_freeze(&self, gap: f64) -> bool {
        let average = self.latest.iter().sum::<f64>() / self.latest.len() as f64;
        !self.latest.is_empty() && gap >= (MULTIPLE * average).max(average + LONGER)
    }
}

/// The freezes of a view until `until`.
fn freezes(shown: &[Shown], until: Time, resumed: &[u32]) -> Vec<(Time, f64)> {
    let (mut gaps, mut freezes) = (Gaps::default(), Vec::new());
    for pair in shown.windows(2) {
        let [before, after] = [pair[0], pair[1]];
        let follows_pause = resumed.iter().any(|first| (before.frame + 1..=after.frame).contains(first));
        let gap = after.at.max(before.at).since(before.at).as_secs_f64();
        if !follows_pause && gaps.note(gap) {
            freezes.push((before.at, gap));
        }
    }
    if let Some(last) = shown.last().filter(|last| last.at < until) {
        let gap = until.since(last.at).as_secs_f64();
        if gaps.is_freeze(gap) {
            freezes.push((last.at, gap));
        }
    }
    freezes
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn ms(millis: u64) -> Time {
        Time::from_nanos(millis * MS)
    }

    /// Frames of one packet every 40 ms that arrive after these delays in milliseconds; none is lost.
    fn played(delays: &[Option<u64>], bound: u64) -> Playout {
        let mut playout = Playout::new(Duration::from_millis(bound));
        let mut arrivals: Vec<(u64, u32)> = (0_u32..)
            .zip(delays)
            .filter_map(|(frame, delay)| Some((u64::from(frame) * 40 + (*delay)?, frame)))
            .collect();
        arrivals.sort_unstable();
        for (at, frame) in arrivals {
            let captured = ms(u64::from(frame) * 40);
            playout.on_packet(ms(at), &FramePacket { frame, packets: 1, captured });
        }
        playout
    }

    fn summary(playout: &Playout, frames: u64) -> PlayoutSummary {
        playout.summary(Time::ZERO, ms(frames * 40 + 40), &[]).0
    }

    #[test]
    fn frames_that_come_in_time_are_all_shown_without_a_freeze() {
        let seen = summary(&played(&[Some(50); 100], 200), 100);
        assert_eq!((seen.shown, seen.freezes), (100, 0));
        assert!((seen.delay_p95 - 0.05).abs() < 1e-9);
    }

    /// At 40 ms a freeze begins at max(3 * 40, 40 + 150) = 190 ms: four frames missing in a row are a gap of 200 ms, three one of 160 ms.
    #[test]
    fn a_freeze_is_a_gap_above_three_averages_and_the_average_and_150_ms() {
        let mut delays = vec![Some(50); 100];
        delays[50..53].fill(None);
        assert_eq!(summary(&played(&delays, 200), 100).freezes, 0);
        delays[53] = None;
        let seen = summary(&played(&delays, 200), 100);
        assert_eq!((seen.shown, seen.freezes), (96, 1));
        assert!((seen.longest_freeze - 0.2).abs() < 1e-9 && (seen.frozen - 0.2).abs() < 1e-9);
    }

    /// A bound of 200 ms above the least delay of 50 ms: 250 ms are shown, 251 ms are not.
    #[test]
    fn a_frame_beyond_the_bound_is_not_shown() {
        let mut delays = vec![Some(50); 40];
        delays[39] = Some(250);
        assert_eq!(summary(&played(&delays, 200), 60).shown, 40);
        delays[39] = Some(251);
        assert_eq!(summary(&played(&delays, 200), 60).shown, 39);
    }

    /// The path holds frames 20 to 22 until 930 ms. All are shown, and the buffer's delay of 130 ms then falls by 0.5 % of the excess of
    /// 80 ms a frame: after 37 frames it is 50 + 80 * 0.995^37 = 116 ms.
    #[test]
    fn the_delay_rises_with_a_late_frame_and_falls_slowly() {
        let mut delays = vec![Some(50); 60];
        (delays[20], delays[21]) = (Some(130), Some(90));
        let playout = played(&delays, 200);
        let seen = summary(&playout, 62);
        assert_eq!((seen.shown, seen.freezes), (60, 0));
        assert!((playout.delay.as_secs_f64() - 0.116).abs() < 1e-3, "{}", playout.delay);
    }

    /// Frame 20 of two packets is complete only after frame 21 was shown.
    #[test]
    fn a_frame_that_another_overtook_is_not_shown() {
        let mut playout = played(&vec![Some(50); 20], 1000);
        for (frame, packets, at) in [(20, 2, 850), (21, 1, 890), (20, 2, 900)] {
            let captured = ms(u64::from(frame) * 40);
            playout.on_packet(ms(at), &FramePacket { frame, packets, captured });
        }
        assert_eq!((summary(&playout, 30).shown, playout.late), (21, 1));
    }

    /// Packets of three frames of two packets each. In the first order frames are complete in theirs; in the second, frame 6 is complete
    /// when frame 7 has been shown.
    #[test]
    fn frames_of_several_packets_may_come_interleaved() {
        for (order, shown) in [([7, 5, 6, 5, 6, 7], 3), ([7, 5, 6, 5, 7, 6], 2)] {
            let mut playout = Playout::new(Duration::from_millis(1000));
            for frame in order {
                playout.on_packet(ms(50), &FramePacket { frame, packets: 2, captured: ms(0) });
            }
            assert_eq!((playout.shown.len(), playout.late), (shown, 3 - shown as u64));
            assert!(playout.incomplete.is_empty());
        }
    }

    #[test]
    fn the_gap_of_a_pause_is_no_freeze_and_the_one_at_the_end_is() {
        let mut delays = vec![Some(50); 100];
        delays[40..60].fill(None);
        let playout = played(&delays, 200);
        assert_eq!(playout.summary(Time::ZERO, ms(4040), &[60]).0.freezes, 0);
        assert_eq!(playout.summary(Time::ZERO, ms(4040), &[]).0.freezes, 1);
        assert_eq!(
            playout.summary(Time::ZERO, ms(6000), &[60]).0.freezes,
            1,
            "nothing is shown for two seconds"
        );
    }
}
