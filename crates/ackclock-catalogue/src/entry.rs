use crate::{Key, Parameter, Values, nearest};

/// A choice of a specification or a scenario: a mechanism, an application, a topology. A rule that differs from its
/// source has an entry of its own.
///
/// The optional fields follow [`Entry::PLAIN`]:
///
/// ```
/// use ackclock_catalogue::{Entry, Parameter, Unit};
///
/// const ENTRY: Entry = Entry {
///     kind: "avoidance",
///     name: "reno",
///     title: "one packet more per round trip, half after a loss",
///     source: "RFC 5681, 3.1",
///     parameters: &[Parameter::new("limit", Unit::Packets, 1.0, (1.0, f64::INFINITY), "packets per acknowledgment")],
///     ..Entry::PLAIN
/// };
/// assert_eq!(ENTRY.parameter("limit").unwrap().default, 1.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The kind, such as "slow start" or "queue".
    pub kind: &'static str,
    /// The name in a specification; unique within the kind.
    pub name: &'static str,
    /// One line on what it does.
    pub title: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    /// The parameters, with the defaults of the source.
    pub parameters: &'static [Parameter],
    /// The table of a scenario that holds the [`keys`](Entry::keys), such as `flow`; empty if there are none.
    pub table: &'static str,
    /// The keys of that table.
    pub keys: &'static [Key],
    /// A condition between parameters, beyond their ranges; the error states the condition that does not hold.
    pub check: Option<Check>,
    /// Names in other programs and papers. They appear in suggestions only.
    pub aliases: &'static [&'static str],
    /// The mechanisms of other kinds, as (kind, name), that a specification implies if it names none.
    pub companions: &'static [(&'static str, &'static str)],
}

/// Checks the values of several parameters against each other. The error states the condition that does not hold.
pub type Check = fn(&Values) -> Result<(), String>;

impl Entry {
    /// An entry without parameters, keys, condition, aliases and companions, and without a name.
    pub const PLAIN: Entry = Entry {
        kind: "",
        name: "",
        title: "",
        source: "",
        parameters: &[],
        table: "",
        keys: &[],
        check: None,
        aliases: &[],
        companions: &[],
    };

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The mechanism of `kind` that a specification implies if it names none.
    pub fn companion(&self, kind: &str) -> Option<&'static str> {
        self.companions.iter().find(|(of, _)| *of == kind).map(|(_, name)| *name)
    }
}

/// The entry of that name.
pub fn find(entries: &'static [Entry], name: &str) -> Option<&'static Entry> {
    entries.iter().find(|entry| entry.name == name)
}

/// The names of these entries.
pub fn names(entries: &'static [Entry]) -> impl Iterator<Item = &'static str> + Clone {
    entries.iter().map(|entry| entry.name)
}

/// The name of the entry that is called `found` in other programs and papers.
pub fn by_alias<'a>(found: &str, entries: impl IntoIterator<Item = &'a Entry>) -> Option<&'static str> {
    let lower = found.trim().to_ascii_lowercase();
    entries.into_iter().find(|entry| entry.aliases.contains(&lower.as_str())).map(|entry| entry.name)
}

/// The name among these entries that `found` was probably meant to be: [`by_alias`], or the [`nearest`].
pub fn nearest_entry<'a>(
    found: &str,
    entries: impl IntoIterator<Item = &'a Entry> + Clone,
) -> Option<&'static str> {
    let names = entries.clone().into_iter().map(|entry| entry.name);
    by_alias(found, entries).or_else(|| nearest(found, names))
}
