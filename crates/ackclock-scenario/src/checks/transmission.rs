//! Transmission times in whole nanoseconds: which links can serve the packets of a scenario at their rates.

use ackclock_units::{Bytes, LinkRate};

use crate::endpoints::algorithm;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::settings::Settings;
use crate::topology::link_name;
use crate::traffic::FlowGroup;
use crate::traffic::UdpGroup;
use crate::values::schedule::Varying;

/// The most by which a transmission time may differ from the rate's, as a part of it.
const LARGEST_ERROR: f64 = 0.1;

/// A transmission time of this many nanoseconds is rounded by no more than [`LARGEST_ERROR`].
const SURE_NANOS: f64 = 5.0;

/// Bits of a packet in a nanosecond at a rate of 1 bit/s.
const BITS_PER_NANO: f64 = 1e-9;

impl Settings {
    /// Refuses packets with data that a link would serve at another rate than its own, since transmission times are whole
    /// nanoseconds. Rates that follow a schedule are not checked. Neither are packets without data, since
    /// acknowledgments are fewer than the packets that they acknowledge.
    pub(crate) fn check_transmission_times(&self, custom: &[String]) -> Checked {
        let flows = self.flow.iter().enumerate().flat_map(|(index, group)| {
            let at = Key::top("flow").then(index);
            data_packets(group, custom).map(move |(key, size)| (at.then(key), size))
        });
        let datagrams = self
            .udp
            .iter()
            .enumerate()
            .map(|(index, group)| (Key::top("udp").then(index).then("packet"), datagram(group)));
        let calls = self.call.iter().enumerate();
        let calls = calls.map(|(index, group)| (Key::top("call").then(index).then("packet"), group.packet));
        let packets: Vec<(Key, Bytes)> = flows.chain(datagrams).chain(calls).collect();
        let Some(smallest) = packets.iter().map(|(_, size)| *size).min() else { return Ok(()) };
        // In ascending order.
        let mut fast: Vec<(u64, String)> = Vec::new();
        self.topology.directions(&mut |from, to, link| {
            if let Varying::Constant(LinkRate::Bits(rate)) = link.rate
                && nanos(smallest, rate.bits_per_second()) < SURE_NANOS
            {
                let rate = rate.bits_per_second();
                if let Err(place) = fast.binary_search_by_key(&rate, |(known, _)| *known) {
                    fast.insert(place, (rate, link_name(from, to)));
                }
            }
        });
        for (at, size) in &packets {
            for (rate, link) in &fast {
                check(at, *size, *rate, link)?;
            }
        }
        Ok(())
    }
}

/// The sizes on the wire of a group's packets with data, with the keys that set them.
fn data_packets<'a>(
    group: &'a FlowGroup,
    custom: &'a [String],
) -> impl Iterator<Item = (&'static str, Bytes)> + 'a {
    group.algorithm_names().map(move |name| {
        if algorithm::is_acknak(name, custom) {
            ("acknak.packet", group.acknak.packet)
        } else {
            ("tcp.mss", group.tcp.mss + group.tcp.header)
        }
    })
}

/// The size on the wire of the smallest datagram of a message, not counting the rest.
fn datagram(group: &UdpGroup) -> Bytes {
    group.packet.min(group.message())
}

/// Nanoseconds that a packet takes, not rounded.
fn nanos(size: Bytes, bits_per_second: u64) -> f64 {
    size.get() as f64 * 8.0 / (bits_per_second as f64 * BITS_PER_NANO)
}

fn check(at: &Key, size: Bytes, rate: u64, link: &str) -> Checked {
    let exact = nanos(size, rate);
    let rounded = exact.round().max(1.0);
    if (rounded - exact).abs() <= LARGEST_ERROR * exact {
        return Ok(());
    }
    let gigabits = rate as f64 / 1e9;
    let most = size.get() as f64 * 8.0 / SURE_NANOS;
    let least = (SURE_NANOS * gigabits / 8.0).ceil();
    let message = format!(
        "packets of {size} on the wire take {exact:.2} ns on {link} at {gigabits} Gbit/s, and transmission times are whole \
         nanoseconds: {rounded:.0} ns would be another rate; at most {most} Gbit/s for such packets, or packets of at least \
         {least} bytes"
    );
    Err(at.wrong(size, message))
}
