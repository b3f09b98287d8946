//! Whole controllers. They implement [`CongestionControl`](crate::CongestionControl) directly,
//! without this crate's slow starts and avoidances; most follow a model of the path.
//!
//! To add one: a file here with the type and its registry entry, and a line in the list below.

mod allegro;
mod bbr1;
mod bbr3;
mod c4;
mod cdg;
mod copa;
mod drawn;
mod held_down;
mod ledbat_plus_plus;
mod max_filter;
mod monitored;
mod pacing_rate;
mod prague;
mod real;
mod saved_window;
mod subpacket;
mod vivace;
mod vivace_linux;
mod xcp;

use crate::algorithms::algorithms;

algorithms! {
    controller:
    allegro::Allegro,
    bbr1::Bbr1,
    bbr3::Bbr3,
    c4::C4,
    cdg::Cdg,
    copa::Copa,
    ledbat_plus_plus::LedbatPlusPlus,
    prague::Prague,
    subpacket::SubPacket,
    vivace::Vivace,
    vivace_linux::VivaceLinux,
    xcp::Xcp,
}
