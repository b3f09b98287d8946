//! Another size of segments: windows, rates and measurements in packets keep their bytes.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Event, Start};
use ackclock_units::Duration;

use crate::common::stream::Stream;
use crate::common::{Path, assert_near};

const HALVED: Event = Event::SegmentSize { from: 1_400, to: 700 };

/// The cubic goes on where it was: a window of twice as many packets, and no leap in the round trips after it.
#[test]
fn cubic_goes_on_from_the_same_window_in_bytes() {
    for seconds in [2.0, 12.0] {
        let mut stream = Stream::new("cubic", 400.0, Duration::from_millis(100));
        stream.loss();
        stream.for_seconds(seconds);
        let before = stream.cwnd();
        stream.for_rounds(1.0);
        let (last, step) = (stream.cwnd(), stream.cwnd() - before);
        stream.controller.on_event(&HALVED);
        assert_near(stream.cwnd(), 2.0 * last, 1e-6);
        stream.for_rounds(1.0);
        // In bytes the window grows as in the round trip before.
        assert_near(stream.cwnd() / 2.0 - last, step, 0.3 * step.abs() + 0.6);
    }
}

#[test]
fn an_undo_brings_back_the_bytes_from_before_the_episode() {
    for spec in ["reno", "cubic", "bic", "htcp", "westwood"] {
        let mut path = Path::wide(spec, 64.0, 64.0);
        path.loss();
        path.controller.on_event(&HALVED);
        path.controller.on_event(&Event::Spurious);
        assert_near(path.cwnd(), 128.0, 1e-9);
        assert_near(path.controller.ssthresh(), 128.0, 1e-9);
    }
}

#[test]
fn bic_searches_below_the_same_window_in_bytes() {
    let mut stream = Stream::new("bic", 500.0, Duration::from_millis(100));
    stream.loss();
    stream.controller.on_event(&HALVED);
    let mut shown = 0.0;
    stream
        .controller
        .observe(&mut |name, value| shown = if name == "bic_max_packets" { value } else { shown });
    assert_near(shown, 1_000.0, 1e-9);
}

/// An initial window of a packet is one of a packet in larger segments too, also where the SYN was lost.
#[test]
fn a_first_window_never_falls_below_a_packet() {
    for spec in ["reno", "bbr1", "bbr3", "copa", "ledbat-plus-plus", "prague"] {
        let start = Start { initial_window: 1.0, ..Start::default() };
        let mut controller = spec.parse::<ControllerSpec>().unwrap().build(&start);
        controller.on_event(&Event::SegmentSize { from: 1_400, to: 7_000 });
        let decision = controller.on_event(&Event::IdleRestart { restart_window: 0.5 });
        assert_eq!(decision.cwnd.to_bits(), 1.0_f64.to_bits(), "{spec}");
    }
}
