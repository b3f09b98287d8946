//! Careful Resume: the examples of RFC 9959, appendix B, in packets, and its rules for the path.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

use crate::common::assert_near;

const EXACT: f64 = 1e-9;
const RTT: u64 = 100;

/// A sender with an initial window of ten packets on a path of 100 ms.
struct Sender {
    controller: Box<dyn CongestionControl>,
    now: Time,
    rtt: Duration,
}

impl Sender {
    fn new(spec: &str) -> Sender {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        let now = Time::ZERO + Duration::from_millis(RTT);
        Sender { controller: spec.build(&Start::default()), now, rtt: Duration::from_millis(RTT) }
    }

    /// One that jumps while 29 packets are in flight.
    fn jumped() -> Sender {
        let mut sender = Sender::new("careful-resume(saved_cwnd=300,saved_rtt=100)");
        sender.reconnoitre();
        sender
    }

    /// The ten packets of the initial window are delivered.
    fn reconnoitre(&mut self) {
        self.acks(9, 1.0, 20.0);
        self.acks(1, 1.0, 29.0);
    }

    fn ack(&mut self, ack: Ack) {
        self.controller.on_ack(&Ack {
            now: self.now,
            rtt: Some(self.rtt),
            srtt: self.rtt,
            min_rtt: self.rtt,
            advanced: true,
            window_limited: true,
            ..ack
        });
    }

    fn acks(&mut self, count: u32, delivered: f64, in_flight: f64) {
        for _ in 0..count {
            self.ack(Ack { delivered, in_flight, ..Ack::default() });
        }
    }

    fn loss(&mut self, signal: Signal, flight: f64) {
        let event = Congestion { now: self.now, signal, flight, restart: false, repeated: false };
        self.controller.on_congestion(&event);
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::common::gauge(|take| self.controller.observe(take), name)
    }

    /// 0 normal, 1 Reconnaissance, 2 Unvalidated, 3 Validating, 4 Safe Retreat.
    fn phase(&self) -> u32 {
        self.gauge("careful_resume_phase") as u32
    }
}

/// B.1: "sets the CWND to 150 packets (based upon half of the previously observed `saved_cwnd` of 300 packets)"; "when the first
/// unvalidated packet is acknowledged (packet number 30) the sender enters the Validating Phase"; it "stops using Careful Resume" with the
/// last of the 121. 3.3: paced by the current RTT.
#[test]
fn the_example_without_a_loss() {
    let mut sender = Sender::jumped();
    assert_eq!(sender.phase(), 2);
    assert_near(sender.cwnd(), 150.0, EXACT);
    let rate = sender.controller.decision().pacing_rate.expect("a paced phase");
    assert_near(rate.0, 1_500.0, EXACT);
    sender.acks(29, 1.0, 100.0);
    assert_eq!(sender.phase(), 2);
    assert_near(sender.cwnd(), 150.0, EXACT);
    sender.acks(1, 1.0, 120.0);
    assert_eq!(sender.phase(), 3);
    // The flight, and one for the acknowledgment, as in slow start.
    assert_near(sender.cwnd(), 121.0, EXACT);
    assert_eq!(sender.controller.decision().pacing_rate, None);
    sender.acks(119, 1.0, 120.0);
    assert_eq!(sender.phase(), 3);
    sender.acks(1, 1.0, 120.0);
    assert_eq!(sender.phase(), 0);
    assert_near(sender.cwnd(), 241.0, EXACT);
    assert!(sender.controller.ssthresh().is_infinite());
}

/// 3.3: the phase ends, too, when the whole window is in flight.
#[test]
fn a_full_window_ends_the_unvalidated_phase() {
    let mut sender = Sender::jumped();
    sender.acks(1, 1.0, 148.0);
    assert_eq!(sender.phase(), 2);
    sender.acks(1, 1.0, 149.0);
    assert_eq!(sender.phase(), 3);
}

/// B.2: of the 150 packets only 50 are sent. "After about one RTT [..] enters the Validating Phase and resets the CWND to the
/// current `flight_size`, (i.e., 50 packets)."
#[test]
fn the_example_of_a_rate_limited_sender() {
    let mut sender = Sender::jumped();
    sender.acks(28, 1.0, 50.0);
    assert_near(sender.cwnd(), 150.0, EXACT);
    sender.now += Duration::from_millis(RTT + 1);
    sender.ack(Ack { delivered: 1.0, in_flight: 50.0, suspended: true, ..Ack::default() });
    assert_eq!(sender.phase(), 3);
    assert_near(sender.cwnd(), 50.0, EXACT);
}

/// 3.3, check of `flight_size`: where no more is in flight than was validated, the window is that, and the initial one at least.
#[test]
fn an_unused_jump_is_taken_back() {
    for (delivered, in_flight, window) in [(29, 25.0, 29.0), (35, 30.0, 35.0), (1, 5.0, 29.0)] {
        let mut sender = Sender::jumped();
        sender.now += Duration::from_millis(RTT + 1);
        let delivered = f64::from(delivered);
        sender.ack(Ack { delivered, in_flight, suspended: true, ..Ack::default() });
        assert_eq!(sender.phase(), 0, "{delivered} and {in_flight}");
        assert_near(sender.cwnd(), window, EXACT);
    }
}

/// B.3: "the CWND is the same as if Careful Resume had not been attempted".
#[test]
fn the_example_of_a_loss_in_reconnaissance() {
    let mut sender = Sender::new("careful-resume(saved_cwnd=300)");
    sender.acks(5, 1.0, 15.0);
    sender.loss(Signal::Loss, 15.0);
    assert_near(sender.cwnd(), 7.5, EXACT);
    sender.acks(20, 1.0, 7.0);
    assert!(sender.cwnd() < 12.0, "{}", sender.cwnd());
}

/// B.4: after 34 of the unvalidated packets "`PipeSize` [..] is equal to 63 (29 + 34)", and the window "is reset to [..] 63/2". "There is no
/// further increase in CWND in this phase." 3.5: on leaving, the threshold is `PipeSize` * Beta; 29 and 120 of the 121 arrive.
#[test]
fn the_example_of_a_loss_in_the_validating_phase() {
    for signal in [Signal::Loss, Signal::Ecn] {
        let mut sender = Sender::jumped();
        sender.acks(29, 1.0, 121.0);
        sender.acks(34, 1.0, 116.0);
        assert_eq!(sender.phase(), 3);
        assert_near(sender.gauge("careful_resume_pipe_size"), 63.0, EXACT);
        sender.loss(signal, 116.0);
        assert_near(sender.cwnd(), 31.5, EXACT);
        sender.ack(Ack { lost: 1.0, suspended: true, in_flight: 86.0, ..Ack::default() });
        for _ in 0..86 {
            sender.ack(Ack { delivered: 1.0, suspended: true, in_flight: 40.0, ..Ack::default() });
        }
        assert_eq!(sender.phase(), 4);
        assert_near(sender.cwnd(), 31.5, EXACT);
        sender.acks(1, 0.0, 0.0);
        assert_eq!(sender.phase(), 0);
        assert_near(sender.controller.ssthresh(), 0.5 * 149.0, EXACT);
        sender.acks(10, 1.0, 31.0);
        assert_near(sender.cwnd(), 41.5, EXACT);
    }
}

/// 3.3: "Detected congestion [..] the Safe Retreat Phase MUST be entered" from the Unvalidated Phase too: half of the 29 packets.
#[test]
fn a_loss_right_after_the_jump_is_a_retreat() {
    let mut sender = Sender::jumped();
    sender.loss(Signal::Loss, 40.0);
    assert_eq!(sender.phase(), 4);
    assert_near(sender.cwnd(), 14.5, EXACT);
}

/// 3.2: a smallest round-trip time of half the saved one or less, or of more than ten times (4.2.1), is another path; nothing
/// changes then.
#[test]
fn another_path_is_not_resumed() {
    for (saved, jumps) in [(200, false), (199, true), (100, true), (10, true), (9, false)] {
        let mut sender = Sender::new(&format!("careful-resume(saved_cwnd=300,saved_rtt={saved})"));
        sender.reconnoitre();
        assert_near(sender.cwnd(), if jumps { 150.0 } else { 20.0 }, EXACT);
        if !jumps {
            sender.acks(50, 1.0, 29.0);
            assert_near(sender.cwnd(), 70.0, EXACT);
        }
    }
}

/// 3.3: the jump is at most `max_jump` and half of the saved window, and needless where slow start is as far.
#[test]
fn the_size_of_the_jump() {
    for (parameters, window) in [
        ("saved_cwnd=300,max_jump=60", 60.0),
        ("saved_cwnd=38", 20.0),
        ("saved_cwnd=40", 20.0),
        ("beta=0.5", 20.0),
    ] {
        let mut sender = Sender::new(&format!("careful-resume({parameters})"));
        sender.reconnoitre();
        assert_near(sender.cwnd(), window, EXACT);
    }
}

/// 3.6: "A sender that experiences persistent congestion [..] ceases to use Careful Resume".
#[test]
fn a_timeout_ends_it() {
    let mut sender = Sender::jumped();
    let (now, signal) = (sender.now, Signal::Timeout);
    sender.controller.on_congestion(&Congestion {
        now,
        signal,
        flight: 80.0,
        restart: true,
        repeated: false,
    });
    assert_eq!(sender.phase(), 0);
    assert_near(sender.cwnd(), 1.0, EXACT);
    sender.acks(5, 1.0, 3.0);
    assert_near(sender.cwnd(), 6.0, EXACT);
}
