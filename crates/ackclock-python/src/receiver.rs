//! TCP's receiver, driven from Python to compare its buffer with the reference.

use std::sync::Arc;

use ackclock_transport::tcp::{self, EcnMode, Settings};
use ackclock_transport::{Flags, Header, Segment, Timestamps};
use ackclock_units::{Rate, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::wake;
use crate::locked::Locked;
use crate::settings;

/// A TCP receiver of an open connection. Times are in nanoseconds; sequence numbers count bytes, and the first has number 1.
#[pyclass(module = "ackclock._native")]
pub struct TcpReceiver {
    receiver: Locked<tcp::Receiver>,
    /// True if data arrives in ECN-capable packets.
    is_ecn_capable: bool,
}

#[pymethods]
impl TcpReceiver {
    /// `settings` are keys of `[tcp]`. Acknowledgments are not delayed unless a setting says so.
    #[new]
    #[pyo3(signature = (
        *, segment_size = 1460, receive_window = u32::MAX, initial_receive_window = None, accurate_ecn = false, **settings
    ))]
    fn new(
        segment_size: u16,
        receive_window: u32,
        initial_receive_window: Option<u32>,
        accurate_ecn: bool,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<TcpReceiver> {
        let mut connection = Settings {
            mss: segment_size,
            receive_window,
            initial_receive_window,
            segments_per_ack: 1,
            ecn: if accurate_ecn { EcnMode::Accurate } else { EcnMode::Off },
            handshake: false,
            ..Settings::default()
        };
        settings::set(&mut connection, settings)?;
        if segment_size == 0 || connection.read_rate == Some(Rate::default()) {
            return Err(PyValueError::new_err("a segment without data, or a rate of zero"));
        }
        let receiver = Locked::new(tcp::Receiver::new(Arc::new(connection), false));
        Ok(TcpReceiver { receiver, is_ecn_capable: accurate_ecn })
    }

    /// A segment arrives, with its timestamp, that of the moment unless it is given, and the one that it echoes, and perhaps marked.
    #[pyo3(signature = (now_ns, sequence, length, echo_us = 0, marked = false, value_us = None))]
    fn on_segment(
        &mut self,
        now_ns: u64,
        sequence: u64,
        length: u16,
        echo_us: u32,
        marked: bool,
        value_us: Option<u32>,
    ) {
        let now = Time::from_nanos(now_ns);
        let timestamps = Timestamps { value: value_us.unwrap_or((now_ns / 1000) as u32), echo: echo_us };
        let flags = match (marked, self.is_ecn_capable) {
            (true, _) => Flags::ACK.with(Flags::ECT).with(Flags::CE),
            (false, true) => Flags::ACK.with(Flags::ECT),
            (false, false) => Flags::ACK,
        };
        let header = Header { sequence, length, timestamps, acknowledgment: 1, flags, ..Header::default() };
        self.receiver.change().on_segment(now, &header);
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.receiver.change().on_timer(Time::from_nanos(now_ns));
    }

    /// The acknowledgment to send now with its window and its field ACE, if there is one.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<(u64, u32, u8)> {
        let reply = Segment::from(self.receiver.change().poll_transmit(Time::from_nanos(now_ns))?);
        Some((reply.acknowledgment, reply.window, reply.ace()))
    }

    /// The byte counters (ECN-capable, marked) of the latest polled acknowledgment, if it has the `AccECN` option.
    fn take_byte_counters(&mut self) -> Option<(u32, Option<u32>)> {
        let counters = self.receiver.change().take_byte_counters()?;
        Some((counters.capable, counters.marked))
    }

    #[getter]
    fn next_wake_ns(&self) -> Option<u64> {
        wake(self.receiver.ask(tcp::Receiver::next_wake))
    }
}
