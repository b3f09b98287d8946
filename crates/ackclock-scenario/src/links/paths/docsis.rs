//! DOCSIS cable.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "docsis",
    title: "cable: a shaper with a burst, and a way back by grants each 2 ms in which a modem keeps the last acknowledgment",
    source: "CableLabs DOCSIS 3.1 (CM-SP-MULPIv3.1); Sundaresan et al. 2011 (bursts); RFC 3449 (acknowledgments)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
rate = "1 Gbit/s"
delay = "5 ms"
buffer = "500 kB"
impairments = ["shaper(rate=100 Mbit/s, burst=5 MB)"]

[reverse]
rate = "30 Mbit/s"
buffer = "64 kB"
# Requests and grants: 2 ms from map to map.
impairments = ["shaper(rate=10 Mbit/s, burst=300 kB)", "thinning", "aggregation(period=2 ms)"]
"#;
