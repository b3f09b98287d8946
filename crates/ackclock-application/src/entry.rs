//! The description of an application, beside its code.

/// An application as lists show it.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// The table of a scenario that holds its keys: `flow`, or `udp`.
    pub table: &'static str,
    /// The keys that make a group of flows run it, and those that it reads besides.
    pub keys: &'static [Key],
}

/// A key of a scenario file that an application reads.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Its meaning, with the unit.
    pub meaning: &'static str,
    /// A value as a scenario writes it.
    pub example: &'static str,
    /// Whether the application needs it.
    pub required: bool,
}
