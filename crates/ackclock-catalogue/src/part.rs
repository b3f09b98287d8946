use std::fmt;

use crate::{Entry, Piece, SpecError, Values, name_of, nearest};

/// An entry with a value for each of its parameters. [`Display`](fmt::Display) writes those that differ from the
/// defaults.
#[derive(Clone, Debug)]
pub struct Part {
    entry: &'static Entry,
    values: Vec<f64>,
}

impl Part {
    /// An entry with its defaults.
    pub fn of(entry: &'static Entry) -> Part {
        Part { entry, values: entry.parameters.iter().map(|parameter| parameter.default).collect() }
    }

    /// Reads `name` or `name(key=value, key=value)`; none if the text names another entry.
    ///
    /// # Errors
    /// When the text in parentheses is no list of the entry's parameters within their ranges.
    pub fn read(entry: &'static Entry, text: &str) -> Result<Option<Part>, SpecError> {
        if name_of(text) != entry.name {
            return Ok(None);
        }
        Part::of_piece(entry, &Piece::read(text, text)?).map(Some)
    }

    /// The entry with the values of a piece, whose name is not compared.
    ///
    /// # Errors
    /// When an argument is no `key=value`, is given twice, or is not a parameter of the entry.
    pub fn of_piece(entry: &'static Entry, piece: &Piece) -> Result<Part, SpecError> {
        let mut part = Part::of(entry);
        let mut given: Vec<&str> = Vec::new();
        for argument in piece.arguments() {
            let Some((key, value)) = argument.split_once('=') else {
                let message = format!("in {}: expected key=value", piece.text);
                return Err(SpecError::new(argument.trim(), message));
            };
            let (key, value) = (key.trim(), value.trim());
            if given.contains(&key) {
                return Err(SpecError::new(key, format!("in {}: \"{key}\" is given twice", piece.text)));
            }
            given.push(key);
            part.set_text(key, value)?;
        }
        part.check().map_err(|error| SpecError::new(piece.text, error.message()))
    }

    /// The entry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The values of the parameters.
    pub fn values(&self) -> Values<'_> {
        Values { parameters: self.entry.parameters, values: &self.values }
    }

    /// Sets a parameter to a number in its unit. [`check`](Self::check) completes a series of calls.
    ///
    /// # Errors
    /// When the entry has no such parameter, or the value is outside its range.
    pub fn set(&mut self, key: &str, value: f64) -> Result<(), SpecError> {
        let index = self.index(key)?;
        self.entry.parameters[index].check_range(value).map_err(|problem| self.refuse(value, &problem))?;
        self.values[index] = value;
        Ok(())
    }

    /// Sets a parameter to a number, or to a quantity with a unit, such as `5 ms`.
    ///
    /// # Errors
    /// When the entry has no such parameter, or the text is no value of it.
    pub fn set_text(&mut self, key: &str, text: &str) -> Result<(), SpecError> {
        let parameter = &self.entry.parameters[self.index(key)?];
        let value =
            parameter.read(text).map_err(|problem| self.refuse(text, &format!("{key}: {problem}")))?;
        self.set(key, value).map_err(|error| SpecError::new(text, error.message()))
    }

    /// Checks the values together: none is missing, counts and switches are whole numbers, and the entry's condition
    /// holds.
    ///
    /// # Errors
    /// The value or the condition that is wrong.
    pub fn check(self) -> Result<Part, SpecError> {
        let mut pairs = self.entry.parameters.iter().zip(&self.values);
        let whole = pairs.try_for_each(|(parameter, &value)| {
            if value.is_nan() {
                return Err(format!("{} is missing", parameter.name));
            }
            parameter.check_whole(value)
        });
        let condition = || self.entry.check.map_or(Ok(()), |check| check(&self.values()));
        match whole.and_then(|()| condition()) {
            Ok(()) => Ok(self),
            Err(problem) => Err(self.refuse(&self, &problem)),
        }
    }

    fn index(&self, key: &str) -> Result<usize, SpecError> {
        let parameters = self.entry.parameters;
        parameters.iter().position(|parameter| parameter.name == key).ok_or_else(|| {
            let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
            let what = format!("parameter of the {} {}", self.entry.kind, self.entry.name);
            SpecError::unknown(&what, key, &names, nearest(key, names.iter().copied()))
        })
    }

    fn refuse(&self, found: impl fmt::Display, problem: &str) -> SpecError {
        SpecError::new(found.to_string(), format!("{}: {problem}", self.entry.name))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        (self.entry.kind, self.entry.name) == (other.entry.kind, other.entry.name)
            && self.values == other.values
    }
}

impl fmt::Display for Part {
    /// Writes only values that differ from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        let mut separator = "(";
        for (parameter, &value) in self.entry.parameters.iter().zip(&self.values) {
            // The default exactly as the entry has it: no arithmetic is involved.
            if value.to_bits() != parameter.default.to_bits() {
                write!(f, "{separator}{}=", parameter.name)?;
                match parameter.unit.names().get(value as usize) {
                    Some(name) => f.write_str(name)?,
                    None => write!(f, "{value}")?,
                }
                separator = ",";
            }
        }
        f.write_str(if separator == "," { ")" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    static ENTRY: Entry = Entry {
        kind: "queue",
        name: "cake",
        parameters: &[Parameter::choice("cells", &["noatm", "atm", "ptm"], 1, "the framing")],
        ..Entry::PLAIN
    };

    fn read(text: &str) -> Result<Part, SpecError> {
        Part::read(&ENTRY, text).map(|part| part.expect("the name of the entry"))
    }

    /// The value is the place of the name; a text shows the name, and not the default.
    #[test]
    fn a_choice_is_read_and_written_by_name() {
        for (text, place, shown) in [
            ("cake(cells=ptm)", 2.0, "cake(cells=ptm)"),
            ("cake(cells=0)", 0.0, "cake(cells=noatm)"),
            ("cake(cells=atm)", 1.0, "cake"),
        ] {
            let part = read(text).unwrap();
            assert_eq!((part.values().get("cells"), part.to_string().as_str()), (place, shown));
        }
    }

    #[test]
    fn a_name_that_is_not_there_is_refused_with_the_nearest() {
        let said = |text| read(text).unwrap_err().message().to_owned();
        assert_eq!(
            said("cake(cells=ptn)"),
            "cake: cells: found \"ptn\", which is none of its names; did you mean \"ptm\"?"
        );
        assert!(said("cake(cells=ethernet)").ends_with("(there are: noatm, atm, ptm)"));
        assert!(read("cake(cells=3)").is_err() && read("cake(cells=0.5)").is_err());
    }
}
