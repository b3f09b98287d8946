//! TCP's sender, driven from Python to compare its recoveries with the reference.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_simulation::scenario::TcpConfig;
use ackclock_transport::tcp::{self, EcnMode, Settings, TcpInfo};
use ackclock_transport::{Controller, Flags, Header, SackBlocks, Transfer, Transport, Variant, Way};
use ackclock_units::{Duration, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{start, to_value_error, wake};
use crate::locked::Locked;
use crate::settings;

/// A TCP sender of an open connection. Times are in nanoseconds, windows in packets; sequence numbers count bytes, and
/// the first has number 1.
#[pyclass(module = "ackclock._native")]
pub struct TcpSender(Locked<tcp::Sender>);

#[pymethods]
impl TcpSender {
    /// `settings` are keys of `[tcp]`. Unless a setting says otherwise, acknowledgments are not delayed and
    /// RACK's reordering timer follows RFC 8985.
    #[new]
    #[pyo3(signature = (
        variant, *, packets = None, segment_size = 1460, initial_window = 10.0, initial_ssthresh = f64::INFINITY,
        receive_window = u32::MAX, rearm_at_fast_retransmit = false, **settings
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a constructor")]
    fn new(
        variant: &str,
        packets: Option<u64>,
        segment_size: u16,
        initial_window: f64,
        initial_ssthresh: f64,
        receive_window: u32,
        rearm_at_fast_retransmit: bool,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<TcpSender> {
        if receive_window < u32::from(segment_size) {
            return Err(PyValueError::new_err("a receive window of less than a segment"));
        }
        let variant: Variant = variant.parse().map_err(to_value_error)?;
        let (Transport::Tcp(recovery), Controller::Known(spec)) = (variant.transport, variant.controller)
        else {
            return Err(PyValueError::new_err("no variant of TCP's sender"));
        };
        let start = start(initial_window, initial_ssthresh)?;
        let mut connection = Settings {
            mss: segment_size,
            initial_window,
            initial_ssthresh,
            receive_window,
            rearm_at_fast_retransmit,
            segments_per_ack: 1,
            reordering_timer_slack: Duration::ZERO,
            handshake: false,
            ..Settings::default()
        };
        settings::set(&mut connection, settings)?;
        let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets };
        let sender = tcp::Sender::new(Arc::new(connection), recovery, spec.build(&start), transfer);
        Ok(TcpSender(Locked::new(sender)))
    }

    /// A sender with the settings of a system of the catalogue, and its algorithm or another one, without timestamps.
    #[staticmethod]
    #[pyo3(signature = (system, *, packets = None, algorithm = None))]
    fn of_system(system: &str, packets: Option<u64>, algorithm: Option<&str>) -> PyResult<TcpSender> {
        let mut keys = serde_json::json!({ "system": system, "timestamps": false, "handshake": false });
        if let Some(algorithm) = algorithm {
            keys["algorithm"] = algorithm.into();
        }
        let config = TcpConfig::from_json(&keys.to_string()).map_err(to_value_error)?;
        let variant: Variant = config.algorithm.parse().map_err(to_value_error)?;
        let (Transport::Tcp(recovery), Controller::Known(spec)) = (variant.transport, variant.controller)
        else {
            return Err(PyValueError::new_err("no variant of TCP's sender"));
        };
        let controller = spec.build(&config.start());
        let settings = config.connection((EcnMode::for_needs(controller.needs()), recovery));
        let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets };
        let sender = tcp::Sender::new(Arc::new(settings), recovery, controller, transfer);
        Ok(TcpSender(Locked::new(sender)))
    }

    /// An acknowledgment arrives, with selective acknowledgments `[start, end)`, the latest first; a block below the
    /// acknowledgment, before those, reports a duplicate.
    #[pyo3(signature = (now_ns, acknowledgment, blocks = Vec::new(), window = u32::MAX))]
    fn on_segment(
        &mut self,
        now_ns: u64,
        acknowledgment: u64,
        blocks: Vec<(u64, u64)>,
        window: u32,
    ) -> PyResult<()> {
        let duplicate = blocks.first().copied().filter(|(_, end)| *end <= acknowledgment);
        let mut above = blocks.iter().skip(usize::from(duplicate.is_some()));
        if blocks.iter().any(|(start, end)| end <= start) || above.any(|(start, _)| *start < acknowledgment) {
            return Err(PyValueError::new_err("a block that is empty or not above the acknowledgment"));
        }
        let header =
            Header { acknowledgment, window, flags: Flags::ACK, way: Way::ToSender, ..Header::default() };
        let sack = match duplicate {
            Some(duplicate) => {
                SackBlocks::with_duplicate(acknowledgment, duplicate, blocks.into_iter().skip(1))
            }
            None => SackBlocks::of(acknowledgment, blocks.into_iter()),
        };
        let now = Time::from_nanos(now_ns);
        self.0.change().on_segment(now, &header, &sack);
        Ok(())
    }

    /// The application writes this many more packets.
    fn write(&mut self, now_ns: u64, packets: u64) {
        self.0.change().write(Time::from_nanos(now_ns), packets);
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.0.change().on_timer(Time::from_nanos(now_ns));
    }

    /// First sequence number and length of the segment to send now, if there is one.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<(u64, u16)> {
        let segment = self.0.change().poll_transmit(Time::from_nanos(now_ns))?;
        Some((segment.sequence, segment.length))
    }

    #[getter]
    fn next_wake_ns(&self) -> Option<u64> {
        wake(self.0.ask(tcp::Sender::next_wake))
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.ask(tcp::Sender::cwnd)
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ask(|sender| sender.controller().ssthresh())
    }

    /// Its state by the names of Linux' `tcp_info`, without their prefix.
    fn info(&self) -> BTreeMap<&'static str, u64> {
        let info = self.0.ask(tcp::Sender::info);
        TcpInfo::NAMES.iter().filter_map(|name| Some((*name, info.get(name)?))).collect()
    }

    /// True if data waits for the receive window, with nothing outstanding.
    #[getter]
    fn is_waiting_for_window(&self) -> bool {
        self.0.ask(tcp::Sender::is_waiting_for_window)
    }

    /// Packets believed to be in the network.
    #[getter]
    fn in_flight(&self) -> u32 {
        self.0.ask(tcp::Sender::in_flight)
    }

    #[getter]
    fn is_over(&self) -> bool {
        self.0.ask(tcp::Sender::is_over)
    }
}
