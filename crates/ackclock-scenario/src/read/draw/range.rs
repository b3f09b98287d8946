//! All values between two of one unit, as numbers or quantities.

use ackclock_random::RandomStream;
use ackclock_units::split_quantity;
use serde_json::Value;

use crate::read::error::{ScenarioError, clip};
use crate::read::key::Key;

const ENDS: [&str; 2] = ["from", "to"];

pub(super) struct Range {
    from: f64,
    to: f64,
    /// None for numbers.
    unit: Option<String>,
    /// True if only whole numbers are drawn, for example of packets.
    whole: bool,
    /// True if every ratio is equally likely, not every difference.
    logarithmic: bool,
}

/// An end of a range as written.
struct End<'a> {
    number: f64,
    unit: Option<&'a str>,
    whole: bool,
}

impl Range {
    pub fn read(value: &Value, logarithmic: bool, at: &Key) -> Result<Range, ScenarioError> {
        let Value::Object(table) = value else {
            let shown = clip(&value.to_string());
            let message = format!("found {shown}; expected {{ from = .., to = .. }}");
            return Err(at.wrong(shown, message));
        };
        if let Some(other) = table.keys().find(|key| !ENDS.contains(&key.as_str())) {
            return Err(ScenarioError::unknown_key(&*at.then(other), &clip(other), &ENDS));
        }
        let end = |name: &str| {
            let value =
                table.get(name).ok_or_else(|| at.then(name).error("missing; a range has two ends"))?;
            end_of(value, &at.then(name))
        };
        let [from, to] = [end("from")?, end("to")?];
        if from.unit != to.unit {
            let shown = |unit: Option<&str>| unit.map_or("a number".to_owned(), |unit| format!("{unit:?}"));
            let message =
                format!("found {} and {}; both ends have one unit", shown(from.unit), shown(to.unit));
            return Err(at.error(message));
        }
        if from.number > to.number {
            return Err(at.then("from").error("it is not above \"to\""));
        }
        if logarithmic && from.number <= 0.0 {
            return Err(at
                .then("from")
                .error("ratios need a value above zero; \"uniform\" may begin with zero"));
        }
        let whole = from.whole && to.whole;
        let unit = from.unit.map(str::to_owned);
        Ok(Range { from: from.number, to: to.number, unit, whole, logarithmic })
    }

    pub fn draw(&self, random: &mut RandomStream) -> Value {
        // With whole numbers, the last is as likely as the others.
        let end = if self.whole { self.to + 1.0 } else { self.to };
        let drawn = if self.logarithmic {
            random.log_uniform(self.from, end)
        } else {
            self.from + random.uniform() * (end - self.from)
        };
        let within = if self.whole { drawn.floor() } else { drawn }.clamp(self.from, self.to);
        self.value(within)
    }

    pub fn ends(&self) -> [Value; 2] {
        [self.value(self.from), self.value(self.to)]
    }

    fn value(&self, number: f64) -> Value {
        match &self.unit {
            Some(unit) => Value::String(format!("{number} {unit}")),
            None if self.whole => Value::from(number as i64),
            None => Value::from(number),
        }
    }
}

fn end_of<'a>(value: &'a Value, at: &Key) -> Result<End<'a>, ScenarioError> {
    let wrong = |shown: String| {
        let message = format!("found {shown}; expected a number, or a quantity such as \"5 Mbit/s\"");
        at.wrong(&shown, message)
    };
    match value {
        Value::Number(number) => {
            Ok(End { number: number.as_f64().unwrap_or_default(), unit: None, whole: !number.is_f64() })
        }
        Value::String(text) => {
            let (number, unit) = split_quantity(text).map_err(|_| wrong(format!("{:?}", clip(text))))?;
            // Quantities that are counted, not measured.
            let counted = matches!(unit, "packets" | "packet" | "bytes" | "B");
            Ok(End { number, unit: Some(unit), whole: counted && number.fract() == 0.0 })
        }
        other => Err(wrong(clip(&other.to_string()))),
    }
}
