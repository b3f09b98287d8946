//! A place in a text, and what stands there.

use ackclock_units::Duration;

/// The part of a script that is not run, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub line: usize,
    pub reason: String,
}

impl Problem {
    pub fn at(line: usize, reason: impl Into<String>) -> Problem {
        Problem { line, reason: reason.into() }
    }
}

/// A place in a text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, place: 0 }
    }

    pub fn place(&self) -> usize {
        self.place
    }

    /// The text between a place and this one.
    pub fn since(&self, place: usize) -> &'a str {
        &self.text[place..self.place]
    }

    /// The line, from one.
    pub fn line(&self) -> usize {
        self.text[..self.place].matches('\n').count() + 1
    }

    fn rest(&self) -> &'a str {
        &self.text[self.place..]
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The problem of something else standing here than expected.
    pub fn problem(&self, expected: &str) -> Problem {
        let found: String = self.rest().lines().next().unwrap_or_default().chars().take(40).collect();
        Problem::at(self.line(), format!("found {found:?} where {expected} is expected"))
    }

    /// Passes over white space and comments; false at the end of the text.
    pub fn skip_blank(&mut self) -> bool {
        loop {
            let rest = self.rest();
            let next = rest.trim_start();
            self.place += rest.len() - next.len();
            if next.starts_with("//") || next.starts_with('#') {
                self.place += next.find('\n').unwrap_or(next.len());
            } else if next.starts_with("/*") {
                self.place += next.find("*/").map_or(next.len(), |end| end + 2);
            } else {
                return !next.is_empty();
            }
        }
    }

    /// Passes over blanks on the line.
    pub fn skip_blank_on_line(&mut self) {
        self.run_of(|c| c == ' ' || c == '\t');
    }

    /// The character here, which is passed over.
    pub fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.place += next.len_utf8();
        Some(next)
    }

    /// True if this text stands here.
    pub fn stands_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Passes over this text if it stands here.
    pub fn takes(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.place += text.len();
        }
        found
    }

    /// The text up to an end, which is passed over; none if there is no such end.
    pub fn until(&mut self, end: &str) -> Option<&'a str> {
        let length = self.rest().find(end)?;
        let found = &self.rest()[..length];
        self.place += length + end.len();
        Some(found)
    }

    /// The rest of the line.
    pub fn line_rest(&mut self) -> &'a str {
        let rest = self.rest();
        let found = &rest[..rest.find('\n').unwrap_or(rest.len())];
        self.place += found.len();
        found
    }

    /// The longest text here of such characters; it may be empty.
    pub fn run_of(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let found = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.place += found.len();
        found
    }

    /// A whole number, decimal or hexadecimal.
    pub fn number(&mut self) -> Option<u64> {
        let start = self.place;
        let found = if self.takes("0x") {
            u64::from_str_radix(self.run_of(|c| c.is_ascii_hexdigit()), 16).ok()
        } else {
            self.run_of(|c| c.is_ascii_digit()).parse().ok()
        };
        if found.is_none() {
            self.place = start;
        }
        found
    }

    /// Seconds with a decimal point, or without.
    pub fn seconds(&mut self) -> Option<Duration> {
        let start = self.place;
        let whole = self.run_of(|c| c.is_ascii_digit());
        let mut fraction = "";
        let point = self.place;
        if !self.rest().starts_with("...") && self.takes(".") {
            fraction = self.run_of(|c| c.is_ascii_digit());
        }
        if whole.is_empty() && fraction.is_empty() {
            self.place = start;
            return None;
        }
        if fraction.is_empty() {
            self.place = point;
        }
        let nanos: u64 = format!("{fraction:0<9}")[..9].parse().ok()?;
        Some(Duration::from_nanos(whole.parse::<u64>().unwrap_or(0) * 1_000_000_000 + nanos))
    }
}
