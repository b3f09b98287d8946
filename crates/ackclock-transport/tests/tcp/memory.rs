//! The memory of a connection: a thousand connections fit a processor's cache.

use std::mem::{size_of, size_of_val};
use std::sync::Arc;

use ackclock_congestion::Start;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_transport::tcp::{Receiver, Sender, Settings};
use ackclock_transport::{Header, Payload, Segment};

#[test]
fn a_connection_is_well_below_two_kilobytes() {
    let ends = size_of::<Sender>() + size_of::<Receiver>();
    for (name, most) in [("reno", 1024), ("vegas", 1200)] {
        let controller = name.parse::<ControllerSpec>().unwrap().build(&Start::default());
        let total = ends + size_of_val(&*controller);
        assert!(
            total < most,
            "{total} bytes with {name}: sender {}, receiver {}",
            size_of::<Sender>(),
            size_of::<Receiver>()
        );
    }
    for name in ["bbr1", "bbr3"] {
        let controller = name.parse::<ControllerSpec>().unwrap().build(&Start::default());
        let total = ends + size_of_val(&*controller);
        assert!(total < 1536, "{total} bytes with {name}");
    }
    assert_eq!(size_of::<Arc<Settings>>(), 8, "settings are shared");
}

#[test]
fn a_packet_is_a_small_value() {
    assert_eq!(size_of::<Payload>(), 32, "half a cache line, of which the network takes the other");
    assert_eq!(size_of::<Header>(), 32);
    assert_eq!(size_of::<Segment>(), 64);
}
