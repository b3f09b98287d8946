//! BOLA-U: BOLA-FINITE that rises at most one quality beyond the measured rate.

use ackclock_catalogue::{Entry, Values};

use super::bola::{Bola, GP, Switches};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "bola-u",
    title: "BOLA-U: BOLA-FINITE whose rises go at most one quality beyond the rate of the last download",
    source: "Spiteri, Urgaonkar and Sitaraman 2016, Algorithm 1",
    parameters: &[GP],
    ..Entry::PLAIN
};

pub(super) fn make(values: &Values) -> Bola {
    Bola { gp: values.get("gp"), switches: Switches::Beyond }
}
