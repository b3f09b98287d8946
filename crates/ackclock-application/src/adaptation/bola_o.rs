//! BOLA-O: BOLA-FINITE that does not rise beyond the measured rate.

use ackclock_catalogue::{Entry, Values};

use super::bola::{Bola, GP, Switches};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "bola-o",
    title: "BOLA-O: BOLA-FINITE whose rises stay within the rate of the last download, and which waits instead",
    source: "Spiteri, Urgaonkar and Sitaraman 2016, Algorithm 1",
    parameters: &[GP],
    ..Entry::PLAIN
};

pub(super) fn make(values: &Values) -> Bola {
    Bola { gp: values.get("gp"), switches: Switches::Within }
}
