//! The prediction of timeouts by a gateway: Chen, Iyengar, Subramanian and Ford, "TCP Behavior in Sub-Packet Regimes", 6.1.
//!
//! "Given (i) the aggregate loss rate at the bottleneck, (ii) the current state of a flow, and (iii) the size of an epoch
//! (flow RTT), the middlebox can track the number of packets within each epoch and predict the probability that a flow
//! could potentially hit a timeout state." The state is that of the paper's model: how many packets the flow sends in an
//! epoch, and whether its timer is backed off.

use ackclock_catalogue::{Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::flow_table::FlowTable;
use crate::HeaderView;

/// The configuration of a gateway's flow monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowMonitor {
    /// The length of an epoch, a round-trip time, for flows whose handshake did not pass the gateway. For other flows
    /// an epoch lasts as long as the time from the SYN to the flow's next packet.
    pub epoch: Duration,
    /// The number of flows in the table.
    pub flows: u32,
}

pub(crate) const EPOCH: Parameter = Parameter::new(
    "epoch",
    Unit::Milliseconds,
    400.0,
    (0.001, 1e6),
    "the round-trip time of flows whose handshake did not pass",
);
pub(crate) const FLOWS: Parameter =
    Parameter::new("flows", Unit::Count, 4096.0, (1.0, 1_048_576.0), "number of flows with state");

/// The monitor with these parameters.
pub(crate) fn make(values: &Values) -> FlowMonitor {
    FlowMonitor { epoch: values.duration("epoch"), flows: values.get("flows") as u32 }
}

/// "No fast retransmission occurs in our model if a loss occurs when the sender's cwnd is smaller than 4" (3.2).
const SMALLEST_FAST: u32 = 4;
/// "We are able to recover from at most one loss using a fast retransmission" (3.2).
const RECOVERABLE: u32 = 1;
/// Packets over which the aggregate loss rate is averaged.
const REMEMBERED: f64 = 1000.0;

/// A gateway's estimate of a flow's state in the present epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlowState {
    /// The window in packets: the larger of the numbers sent in the present and in the previous epoch.
    pub(crate) window: u32,
    /// Packets dropped by the gateway in the present epoch.
    pub(crate) lost: u32,
    /// True if the flow's retransmission timer is backed off: it has expired, and no new data has passed since.
    pub(crate) backed_off: bool,
    /// True if the latest packet is a retransmission.
    pub(crate) resends: bool,
}

impl FlowState {
    /// The number of packets that the flow can still lose in this epoch without a timeout (6.2).
    pub(crate) fn budget(&self) -> u32 {
        let sustains = if self.window < SMALLEST_FAST || self.resends { 0 } else { RECOVERABLE };
        sustains.saturating_sub(self.lost)
    }

    /// The probability that the drop of one packet triggers a timeout, at a loss rate of `p` for all others.
    ///
    /// It is 1 if the flow cannot sustain the drop. Otherwise it is the probability that the rest of the window or the
    /// retransmission is lost: equation 2, given that one packet of the window is lost.
    pub(crate) fn timeout_by_drop(&self, p: f64) -> f64 {
        if self.budget() == 0 { 1.0 } else { 1.0 - libm::pow(1.0 - p, f64::from(self.window)) }
    }

    /// The probability that the drop triggers a repetitive timeout, one with the timer backed off (3.3).
    pub(crate) fn repeated_by_drop(&self, p: f64) -> f64 {
        if self.backed_off { self.timeout_by_drop(p) } else { 0.0 }
    }
}

/// The record of one flow.
#[derive(Clone, Debug, Default)]
struct FlowRecord {
    /// The time of its latest SYN, until another packet follows.
    opened: Option<Time>,
    /// The length of its epochs, if measured from the handshake.
    epoch: Option<Duration>,
    /// The start of the present epoch.
    begun: Time,
    /// The highest sequence number seen.
    highest: u64,
    /// Packets in the present epoch, and in the previous one.
    sent: u32,
    before: u32,
    /// True if new data arrived in the present epoch.
    new_data: bool,
    lost: u32,
    backed_off: bool,
    resends: bool,
}

impl FlowRecord {
    fn on_packet(&mut self, now: Time, header: &HeaderView, usual: Duration) {
        if header.opens {
            self.opened = Some(now);
        } else if let Some(opened) = self.opened.take() {
            self.epoch = Some(now.since(opened)).filter(|epoch| !epoch.is_zero());
        }
        let silent = self.begin_epochs(now, self.epoch.unwrap_or(usual));
        self.resends = header.end <= self.highest;
        if self.resends && silent {
            // "When hitting a timeout .. the backoff value is doubled" (3.3).
            self.backed_off = true;
        }
        self.new_data |= !self.resends;
        self.highest = self.highest.max(header.end);
        self.sent += 1;
    }

    /// Advances the epochs to now. Returns true if a whole one has passed without a packet.
    fn begin_epochs(&mut self, now: Time, epoch: Duration) -> bool {
        let passed = now.since(self.begun).as_nanos() / epoch.as_nanos().max(1);
        if passed == 0 {
            return false;
        }
        // "On successful transmissions of the entire window .. the flow loses backoff memory .. since we expect new
        // transmissions to be sent" (3.3.3). The same holds if the flow is silent afterwards.
        if self.new_data && self.lost == 0 {
            self.backed_off = false;
        }
        self.before = if passed == 1 { self.sent } else { 0 };
        // After a silence, the packet that ends the silence begins an epoch.
        self.begun = if passed == 1 { self.begun + epoch } else { now };
        (self.sent, self.lost, self.new_data) = (0, 0, false);
        passed > 1
    }

    fn state(&self) -> FlowState {
        FlowState {
            window: self.sent.max(self.before),
            lost: self.lost,
            backed_off: self.backed_off,
            resends: self.resends,
        }
    }
}

/// The state of a gateway's flow monitor: all flows, and the aggregate loss rate.
#[derive(Clone, Debug)]
pub(crate) struct FlowMonitorState {
    flows: FlowTable<FlowRecord>,
    epoch: Duration,
    seen: f64,
    loss_rate: f64,
}

impl FlowMonitorState {
    pub(crate) fn new(monitor: &FlowMonitor) -> FlowMonitorState {
        FlowMonitorState {
            flows: FlowTable::new(monitor.flows),
            epoch: monitor.epoch,
            seen: 0.0,
            loss_rate: 0.0,
        }
    }

    /// Processes an arriving packet. Returns the flow's state; none for packets without sequence numbers.
    pub(crate) fn on_packet(&mut self, now: Time, flow: u32, header: &HeaderView) -> Option<FlowState> {
        self.seen = (self.seen + 1.0).min(REMEMBERED);
        self.loss_rate -= self.loss_rate / self.seen;
        if header.first >= header.end {
            return None;
        }
        let epoch = self.epoch;
        let record = self.flows.touch(now, flow);
        record.on_packet(now, header, epoch);
        Some(record.state())
    }

    /// Prefetches the memory that a packet of the flow will need.
    pub(crate) fn prefetch(&self, flow: u32) {
        self.flows.prefetch(flow);
    }

    /// Processes the drop of a packet.
    pub(crate) fn on_drop(&mut self, now: Time, flow: u32) {
        self.loss_rate += 1.0 / self.seen.max(1.0);
        self.flows.touch(now, flow).lost += 1;
    }

    /// A flow's state at the arrival of its latest packet, with its drops since.
    pub(crate) fn state(&self, flow: u32) -> FlowState {
        self.flows.get(flow).map(FlowRecord::state).unwrap_or_default()
    }

    /// The fraction of recent packets that were dropped.
    pub(crate) fn loss_rate(&self) -> f64 {
        self.loss_rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn data(place: u64) -> HeaderView {
        HeaderView { first: place, end: place + 1, ..HeaderView::default() }
    }

    fn monitor() -> FlowMonitorState {
        FlowMonitorState::new(&FlowMonitor { epoch: Duration::from_millis(100), flows: 10 })
    }

    /// 3.2: below four packets any loss is a timeout; from four on one loss is sustained if all else arrives, and the
    /// retransmission.
    #[test]
    fn the_budget_is_that_of_the_model() {
        let mut monitor = monitor();
        for place in 1..=3 {
            let state = monitor.on_packet(at(place), 0, &data(place)).unwrap();
            assert_eq!((state.window, state.budget()), (place as u32, 0));
            assert!((state.timeout_by_drop(0.1) - 1.0).abs() < 1e-12);
        }
        let state = monitor.on_packet(at(4), 0, &data(4)).unwrap();
        assert_eq!((state.window, state.budget(), state.backed_off), (4, 1, false));
        assert!((state.timeout_by_drop(0.1) - (1.0 - 0.9 * 0.9 * 0.9 * 0.9)).abs() < 1e-12);
        assert!(state.repeated_by_drop(0.1) <= 0.0);
        monitor.on_drop(at(4), 0);
        assert_eq!(monitor.state(0).budget(), 0, "and not two");
        // The next epoch has its own budget, and the window is known from the previous one.
        let state = monitor.on_packet(at(110), 0, &data(5)).unwrap();
        assert_eq!((state.window, state.budget()), (4, 1));
    }

    /// 3.3: a retransmission after silence is a timeout's, and its loss, or that of the new data that follows it, makes a
    /// repetitive one; an epoch of new data without loss ends that.
    #[test]
    fn a_timeout_is_remembered_until_new_data_has_gone_through() {
        let mut monitor = monitor();
        monitor.on_packet(at(0), 0, &data(1));
        monitor.on_drop(at(0), 0);
        let state = monitor.on_packet(at(350), 0, &data(1)).unwrap();
        assert!(state.resends && state.backed_off && (state.repeated_by_drop(0.1) - 1.0).abs() < 1e-12);
        let state = monitor.on_packet(at(450), 0, &data(2)).unwrap();
        assert!(!state.resends && state.backed_off, "S_2 with memory");
        let state = monitor.on_packet(at(550), 0, &data(3)).unwrap();
        assert!(!state.backed_off);
        // A fast retransmission comes without silence.
        let state = monitor.on_packet(at(560), 0, &data(3)).unwrap();
        assert!(state.resends && !state.backed_off && state.budget() == 0);
    }

    /// 3.3: the back-off ends when new data is acknowledged. New data passes at 450 ms and none is lost until 550 ms; the
    /// silence of an application afterwards does not bring the back-off back.
    #[test]
    fn a_silence_after_new_data_leaves_the_timeout_forgotten() {
        let mut monitor = monitor();
        monitor.on_packet(at(0), 0, &data(1));
        monitor.on_drop(at(0), 0);
        assert!(monitor.on_packet(at(350), 0, &data(1)).unwrap().backed_off);
        assert!(monitor.on_packet(at(450), 0, &data(2)).unwrap().backed_off);
        assert!(!monitor.on_packet(at(700), 0, &data(3)).unwrap().backed_off);
        // Lost new data does not end it.
        monitor.on_packet(at(710), 0, &data(4));
        monitor.on_drop(at(710), 0);
        assert!(monitor.on_packet(at(1000), 0, &data(4)).unwrap().backed_off);
        monitor.on_packet(at(1100), 0, &data(5));
        monitor.on_drop(at(1150), 0);
        assert!(monitor.on_packet(at(1400), 0, &data(6)).unwrap().backed_off);
    }

    #[test]
    fn the_handshake_tells_the_round_trip_time() {
        let mut monitor = monitor();
        let syn = HeaderView { first: 0, end: 1, opens: true, ..HeaderView::default() };
        monitor.on_packet(at(0), 0, &syn);
        for place in 1..=4 {
            // A second apart: with epochs of 100 ms each would be alone.
            let state = monitor.on_packet(at(5000 + 1000 * place), 0, &data(place)).unwrap();
            assert_eq!(state.window, place as u32);
        }
    }

    #[test]
    fn the_loss_rate_is_that_of_the_latest_packets() {
        let mut monitor = monitor();
        for number in 0..20_000_u64 {
            monitor.on_packet(at(number), 0, &data(number));
            let every = if number < 10_000 { 5 } else { 50 };
            if number % every == 0 {
                monitor.on_drop(at(number), 0);
            }
            if number == 9_999 {
                assert!((monitor.loss_rate() - 0.2).abs() < 0.01, "{}", monitor.loss_rate());
            }
        }
        assert!((monitor.loss_rate() - 0.02).abs() < 0.005, "{}", monitor.loss_rate());
    }

    #[test]
    fn acknowledgments_are_no_part_of_it() {
        assert_eq!(monitor().on_packet(at(0), 0, &HeaderView::default()), None);
    }
}
