//! `stack`: flows over another implementation of a transport than the simulator's own.

use ackclock_congestion::Start;
use ackclock_transport::tcp::EcnMode;
use ackclock_transport::{Controller, Transport, Variant};
use ackclock_units::Bytes;

use super::FlowGroup;
use crate::read::error::Checked;
use crate::read::key::Key;

/// The headers of IPv4 and UDP, in bytes.
const UDP_HEADERS: u64 = 28;

/// The smallest datagram that a path of QUIC carries (RFC 9000, 14), in bytes of UDP payload.
const SMALLEST_DATAGRAM: u64 = 1200;

/// The largest, in bytes of UDP payload.
const LARGEST_DATAGRAM: u64 = 65_527;

impl FlowGroup {
    /// UDP payload bytes of a full datagram of a flow over another stack: on the wire it is as
    /// large as a segment of TCP.
    pub fn datagram(&self) -> Bytes {
        Bytes::new((self.tcp.mss + self.tcp.header).get().saturating_sub(UDP_HEADERS))
    }

    /// Refuses keys that a flow over another stack cannot have.
    pub(crate) fn check_stack(&self, at: &Key, custom: &[String]) -> Checked {
        let Some(stack) = self.stack else { return Ok(()) };
        let refuse = |message: String| Err(at.then("stack").wrong(stack, format!("{stack} {message}")));
        let application = &self.application;
        if application.is_two_way() || application.reopens() || application.stays_open() {
            let message = "carries one transfer per flow in one direction: no page, film, request, pool, think or write_rate";
            let instead = match application.page() {
                Some(_) => "; pages of http = \"3\" without stack use the simulator's QUIC",
                None => "",
            };
            return refuse(format!("{message}{instead}"));
        }
        if matches!(self.tcp.ecn, Some(EcnMode::Accurate | EcnMode::DataCentre)) {
            return refuse("reports no number of marks: ecn is \"off\" or \"classic\"".to_owned());
        }
        let (datagram, wire) = (self.datagram().get(), self.tcp.mss + self.tcp.header);
        if !(SMALLEST_DATAGRAM..=LARGEST_DATAGRAM).contains(&datagram) {
            return refuse(format!(
                "sends datagrams of {SMALLEST_DATAGRAM} to {LARGEST_DATAGRAM} bytes, and UDP and IP headers of {UDP_HEADERS}; \
                 mss and header make packets of {wire}"
            ));
        }
        let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
        for name in self.algorithm_names() {
            // The algorithms themselves are checked elsewhere.
            let Ok(variant) = Variant::parse(name, &custom) else { continue };
            if !matches!(variant.transport, Transport::Tcp(_)) {
                return refuse(format!("is a transport of its own, and so is the transport of {name}"));
            }
            if let Controller::Known(spec) = &variant.controller
                && let Err(reason) = stack.carries(&spec.build(&Start::default()).needs())
            {
                return refuse(format!("does not run {name}: {reason}"));
            }
        }
        Ok(())
    }
}
