//! Reading, writing and building what names a controller: `vegas(gamma=2)+reno`.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::{Entry, Kind, Make, Values, entries, find, nearest, nearest_algorithm};
use crate::control::{CongestionControl, Start};
use crate::slow_start::AnySlowStart;

/// A slow start and an avoidance with their parameters, or a model in place of both.
///
/// Written as `slow start + avoidance`, either of them optional, each with optional parameters:
/// `standard(limit=2)+vegas(alpha=2, beta=4)`. A name that means both, alone, means the avoidance. Without a slow
/// start it is the one the avoidance brings, or `standard`; without an avoidance it is `reno`; the empty text is
/// both. A model, `bbr1`, stands alone. [`Display`](fmt::Display) writes the shortest form, so equal controllers are written alike.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerSpec(Parts);

#[derive(Clone, Debug, PartialEq)]
enum Parts {
    Windowed { slow_start: Part, avoidance: Part },
    Model(Part),
}

/// Why a text names no controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The piece of the text that is wrong.
    pub found: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    message: String,
}

/// An algorithm with a value for each of its parameters. [`Display`](fmt::Display) writes those that differ from the
/// defaults.
#[derive(Clone, Debug)]
pub struct Part {
    entry: &'static Entry,
    values: Vec<f64>,
}

/// A part of the text before its name is looked up.
struct Piece<'a> {
    text: &'a str,
    name: &'a str,
    arguments: Option<&'a str>,
}

impl ControllerSpec {
    /// Makes the controller.
    pub fn build(&self, start: &Start) -> Box<dyn CongestionControl> {
        match &self.0 {
            Parts::Model(model) => {
                let Make::Model(make) = model.entry.make else {
                    unreachable!("the registry makes a model of a model")
                };
                make(&model.values(), start)
            }
            Parts::Windowed { slow_start, avoidance } => {
                let Make::SlowStart(below) = slow_start.entry.make else {
                    unreachable!("the registry makes a slow start of a slow start")
                };
                let Make::Avoidance(above) = avoidance.entry.make else {
                    unreachable!("the registry makes an avoidance of an avoidance")
                };
                let avoidance = above(&avoidance.values());
                // Nearly every controller has the standard slow start, which takes little room.
                match below(&slow_start.values()) {
                    AnySlowStart::Standard(standard) => avoidance.above(start, standard),
                    other => avoidance.above(start, other),
                }
            }
        }
    }

    /// The algorithm below the threshold; none of a model.
    pub fn slow_start(&self) -> Option<&'static Entry> {
        match &self.0 {
            Parts::Windowed { slow_start, .. } => Some(slow_start.entry),
            Parts::Model(_) => None,
        }
    }

    /// The algorithm from the threshold on; none of a model.
    pub fn avoidance(&self) -> Option<&'static Entry> {
        match &self.0 {
            Parts::Windowed { avoidance, .. } => Some(avoidance.entry),
            Parts::Model(_) => None,
        }
    }

    /// The model, if it is one.
    pub fn model(&self) -> Option<&'static Entry> {
        match &self.0 {
            Parts::Windowed { .. } => None,
            Parts::Model(model) => Some(model.entry),
        }
    }
}

impl Default for ControllerSpec {
    /// Standard TCP: standard slow start and Reno's avoidance.
    fn default() -> ControllerSpec {
        ControllerSpec(Parts::Windowed {
            slow_start: Part::default_of(Kind::SlowStart, "standard"),
            avoidance: Part::default_of(Kind::Avoidance, "reno"),
        })
    }
}

impl FromStr for ControllerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<ControllerSpec, SpecError> {
        if text.trim().is_empty() {
            return Ok(ControllerSpec::default());
        }
        let pieces = split(text)?;
        let (slow_start, avoidance) = match pieces.as_slice() {
            [only] if find(Kind::Avoidance, only.name).is_some() => (None, Some(only)),
            [only] if find(Kind::SlowStart, only.name).is_some() => (Some(only), None),
            [only] if find(Kind::Model, only.name).is_some() => {
                return Ok(ControllerSpec(Parts::Model(only.read(Kind::Model)?)));
            }
            [only] => return Err(unknown_name(only, entries().iter())),
            [first, second] => (Some(first), Some(second)),
            [.., last] => {
                return Err(SpecError::new(
                    last.text,
                    format!("{} parts, but a controller is one slow start and one avoidance", pieces.len()),
                ));
            }
            [] => unreachable!("splitting leaves at least one piece"),
        };
        if let (Some(first), Some(second)) = (slow_start, avoidance) {
            check_order(first, second)?;
        }
        let avoidance = match avoidance {
            Some(piece) => piece.read(Kind::Avoidance)?,
            None => Part::default_of(Kind::Avoidance, "reno"),
        };
        let slow_start = match slow_start {
            Some(piece) => piece.read(Kind::SlowStart)?,
            None => Part::default_of(Kind::SlowStart, companion(avoidance.entry)),
        };
        Ok(ControllerSpec(Parts::Windowed { slow_start, avoidance }))
    }
}

impl fmt::Display for ControllerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (slow_start, avoidance) = match &self.0 {
            Parts::Model(model) => return write!(f, "{model}"),
            Parts::Windowed { slow_start, avoidance } => (slow_start, avoidance),
        };
        let is_default = *avoidance == Part::default_of(Kind::Avoidance, "reno");
        let brought = Part::default_of(Kind::SlowStart, companion(avoidance.entry));
        let ambiguous = find(Kind::Avoidance, slow_start.entry.name).is_some();
        match (*slow_start == brought, is_default && !ambiguous) {
            (true, _) if is_default => Ok(()),
            (true, _) => write!(f, "{avoidance}"),
            (false, true) => write!(f, "{slow_start}"),
            (false, false) => write!(f, "{slow_start}+{avoidance}"),
        }
    }
}

/// The slow start that goes with an avoidance.
fn companion(avoidance: &Entry) -> &'static str {
    avoidance.brings.unwrap_or("standard")
}

/// Splits at every `+` outside parentheses, and each piece into name and arguments.
fn split(text: &str) -> Result<Vec<Piece<'_>>, SpecError> {
    let mut depth = 0_u32;
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return Err(SpecError::new(text, "a \")\" without its \"(\"")),
            ')' => depth -= 1,
            '+' if depth == 0 => {
                pieces.push(Piece::new(&text[begin..at], text)?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(SpecError::new(text, "a \"(\" without its \")\""));
    }
    pieces.push(Piece::new(&text[begin..], text)?);
    Ok(pieces)
}

/// Two pieces are a slow start and an avoidance, in that order.
fn check_order(first: &Piece, second: &Piece) -> Result<(), SpecError> {
    let is = |kind, piece: &Piece| find(kind, piece.name).is_some();
    if let Some(model) = [first, second].into_iter().find(|piece| is(Kind::Model, piece)) {
        let name = model.name;
        return Err(SpecError::new(
            model.text,
            format!(
                "\"{name}\" is a whole controller, a model of the path with no slow start or avoidance to \
                 exchange: write \"{name}\" alone, or a recovery and \"{name}\""
            ),
        ));
    }
    let slow_starts = || entries().iter().filter(|entry| entry.kind == Kind::SlowStart);
    let avoidances = || entries().iter().filter(|entry| entry.kind == Kind::Avoidance);
    if is(Kind::SlowStart, first) && is(Kind::Avoidance, second) {
        return Ok(());
    }
    if !is(Kind::SlowStart, first) && !is(Kind::Avoidance, first) {
        return Err(unknown_name(first, slow_starts()));
    }
    if !is(Kind::SlowStart, second) && !is(Kind::Avoidance, second) {
        return Err(unknown_name(second, avoidances()));
    }
    if is(Kind::Avoidance, first) && is(Kind::SlowStart, second) {
        let right = format!("{}+{}", second.text, first.text);
        return Err(SpecError::new(
            first.text,
            format!("the slow start comes before the avoidance: write \"{right}\""),
        ));
    }
    let (kind, other) = if is(Kind::Avoidance, second) {
        (Kind::Avoidance, Kind::SlowStart)
    } else {
        (Kind::SlowStart, Kind::Avoidance)
    };
    let wrong = if kind == Kind::Avoidance { first } else { second };
    Err(SpecError::new(
        wrong.text,
        format!(
            "\"{}\" and \"{}\" are both of the kind {kind}: one of them, and a {other}",
            first.name, second.name
        ),
    ))
}

fn unknown_name(piece: &Piece, known: impl Iterator<Item = &'static Entry> + Clone) -> SpecError {
    let names: Vec<_> = known.map(|entry| entry.name).collect();
    SpecError::unknown("algorithm", piece.name, &names, nearest_algorithm(piece.name, names.iter().copied()))
}

impl<'a> Piece<'a> {
    fn new(text: &'a str, whole: &str) -> Result<Piece<'a>, SpecError> {
        let text = text.trim();
        let (name, arguments) = match text.split_once('(') {
            None => (text, None),
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(arguments) if !arguments.contains(['(', ')']) => (name.trim_end(), Some(arguments)),
                _ => return Err(SpecError::new(text, "expected name(key=value, key=value)")),
            },
        };
        if name.is_empty() {
            return Err(SpecError::new(whole, "a name is missing"));
        }
        Ok(Piece { text, name, arguments })
    }

    /// The algorithm of that kind, which has been looked up before, with its values.
    fn read(&self, kind: Kind) -> Result<Part, SpecError> {
        self.set(Part::default_of(kind, self.name))
    }

    /// The part with the values given here.
    fn set(&self, mut part: Part) -> Result<Part, SpecError> {
        let mut given: Vec<&str> = Vec::new();
        let arguments = self.arguments.map(str::trim).filter(|arguments| !arguments.is_empty());
        for argument in arguments.into_iter().flat_map(|arguments| arguments.split(',')) {
            let Some((key, value)) = argument.split_once('=') else {
                return Err(SpecError::new(argument.trim(), format!("in {}: expected key=value", self.text)));
            };
            let (key, value) = (key.trim(), value.trim());
            if given.contains(&key) {
                return Err(SpecError::new(key, format!("in {}: \"{key}\" is given twice", self.text)));
            }
            given.push(key);
            part.set(key, value)?;
        }
        if let Some(check) = part.entry.check {
            check(&part.values())
                .map_err(|problem| SpecError::new(self.text, format!("{}: {problem}", self.name)))?;
        }
        Ok(part)
    }
}

impl Part {
    /// An algorithm with its defaults.
    pub fn of(entry: &'static Entry) -> Part {
        Part { entry, values: entry.parameters.iter().map(|parameter| parameter.default).collect() }
    }

    /// Reads `name` or `name(key=value, key=value)`; none if the name is another's.
    ///
    /// # Errors
    /// When what stands in parentheses is no list of the entry's parameters within their ranges.
    pub fn read(entry: &'static Entry, text: &str) -> Result<Option<Part>, SpecError> {
        if text.split('(').next().map(str::trim) != Some(entry.name) {
            return Ok(None);
        }
        Piece::new(text, text)?.set(Part::of(entry)).map(Some)
    }

    /// An algorithm of the registry with its defaults.
    fn default_of(kind: Kind, name: &str) -> Part {
        Part::of(find(kind, name).unwrap_or_else(|| unreachable!("no {kind} is called {name}")))
    }

    /// The values of its parameters.
    pub fn values(&self) -> Values<'_> {
        Values { parameters: self.entry.parameters, values: &self.values }
    }

    fn set(&mut self, key: &str, text: &str) -> Result<(), SpecError> {
        let Entry { name, parameters, .. } = *self.entry;
        let Some(index) = parameters.iter().position(|parameter| parameter.name == key) else {
            return Err(self.unknown_parameter(key));
        };
        let parameter = &parameters[index];
        let value = match text.parse::<f64>() {
            Ok(value) if !value.is_nan() => value,
            _ => {
                return Err(SpecError::new(
                    text,
                    format!("{name}: {key} must be a number, e.g. {}", parameter.default),
                ));
            }
        };
        if value < parameter.min || value > parameter.max {
            let range = if parameter.max.is_infinite() {
                format!("at least {}", parameter.min)
            } else {
                format!("from {} to {}", parameter.min, parameter.max)
            };
            return Err(SpecError::new(text, format!("{name}: {key} must be {range}")));
        }
        self.values[index] = value;
        Ok(())
    }

    fn unknown_parameter(&self, key: &str) -> SpecError {
        let names: Vec<_> = self.entry.parameters.iter().map(|parameter| parameter.name).collect();
        let mut error = SpecError::unknown(
            &format!("parameter of the {} {}", self.entry.kind, self.entry.name),
            key,
            &names,
            nearest(key, names.iter().copied()),
        );
        // Vegas is a slow start and an avoidance, and a reader may look for the parameters of one at the other.
        let namesake =
            entries().iter().find(|entry| entry.name == self.entry.name && entry.kind != self.entry.kind);
        if let Some(namesake) =
            namesake.filter(|entry| entry.parameters.iter().any(|other| other.name == key))
        {
            let Entry { name, kind, .. } = namesake;
            let hint = format!("; {key} belongs to the {kind} {name}: write \"{name}(...)+{name}(...)\"");
            error.message.push_str(&hint);
        }
        error
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        (self.entry.kind, self.entry.name) == (other.entry.kind, other.entry.name)
            && self.values == other.values
    }
}

impl fmt::Display for Part {
    /// Only what differs from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        let mut separator = "(";
        for (parameter, &value) in self.entry.parameters.iter().zip(&self.values) {
            // Exactly the default, as written in the registry; no arithmetic is involved.
            if value.to_bits() != parameter.default.to_bits() {
                write!(f, "{separator}{}={value}", parameter.name)?;
                separator = ",";
            }
        }
        f.write_str(if separator == "," { ")" } else { "" })
    }
}

impl SpecError {
    fn new(found: impl Into<String>, message: impl Into<String>) -> SpecError {
        SpecError { found: found.into(), nearest: None, message: message.into() }
    }

    /// `known` is what would have been right.
    fn unknown(what: &str, found: &str, known: &[&str], nearest: Option<&str>) -> SpecError {
        let hint = nearest.map(|name| format!("; did you mean \"{name}\"?")).unwrap_or_default();
        let message = format!("unknown {what}{hint} (known here: {})", known.join(", "));
        SpecError { found: found.to_owned(), nearest: nearest.map(str::to_owned), message }
    }

    /// What is wrong and what would be right, without the piece found.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What was found may go over several lines; the error is one.
        for letter in format!("\"{}\": {}", self.found, self.message).chars() {
            if letter.is_control() { write!(f, "{}", letter.escape_debug())? } else { f.write_char(letter)? }
        }
        Ok(())
    }
}

impl Error for SpecError {}
