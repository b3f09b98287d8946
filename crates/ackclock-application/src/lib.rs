#![doc = include_str!("../README.md")]

mod adaptation;
mod application;
mod browser;
mod bulk;
mod datagrams;
mod encoder;
mod file;
mod film;
mod layered_datagrams;
mod on_off;
mod pages;
mod playout;
mod request_response;
mod think_and_send;
mod viewing;

use ackclock_catalogue::Entry;

pub use adaptation::{ADAPTATIONS, Adaptation, AdaptationSpec, Choice, Download, Manifest, Moment, utility};
pub use application::{Action, Application, Arrival, Delivery, Ending, Needs, Report};
pub use browser::{Browser, BrowserConfig, HttpVersion, PageGraph, PageObject};
pub use bulk::Bulk;
pub use datagrams::{Datagrams, Spacing, Spurts};
pub use encoder::{Encoder, EncoderSettings, Frame};
pub use file::File;
pub use film::{Film, FilmConfig};
pub use layered_datagrams::LayeredDatagrams;
pub use on_off::{ActiveSpan, Activity, OnOff};
pub use pages::{Pages, PagesConfig};
pub use playout::{FramePacket, Playout, PlayoutSummary};
pub use request_response::{RequestConfig, RequestResponse};
pub use think_and_send::{ThinkAndSend, ThinkConfig};
pub use viewing::{Viewing, ViewingConfig, ViewingSummary};

/// All applications, in the order in which they are listed.
pub const ENTRIES: &[Entry] = &[
    bulk::ENTRY,
    file::ENTRY,
    on_off::ENTRY,
    think_and_send::ENTRY,
    pages::ENTRY,
    browser::ENTRY,
    request_response::ENTRY,
    film::ENTRY,
    datagrams::ENTRY,
    layered_datagrams::ENTRY,
];
