//! Expressions: the value of each is found while it is read.

use std::collections::BTreeMap;

use super::token::Token;
use super::value::{Names, Value};

type Found = Result<Value, String>;

/// Operators of two numbers by their binding, the loosest first.
const BINARY: &[&[&str]] = &[&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "//", "%"]];

/// Reads an expression.
pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    names: &'a Names,
    known: &'a dyn Fn(&str) -> Option<f64>,
    /// The names that were asked for, with their values.
    used: BTreeMap<String, Value>,
    depth: usize,
}

/// Brackets and signs within one another.
const DEEPEST: usize = 60;

impl<'a> Parser<'a> {
    pub fn new(tokens: &'a [Token], names: &'a Names, known: &'a dyn Fn(&str) -> Option<f64>) -> Parser<'a> {
        Parser { tokens, names, known, used: BTreeMap::new(), depth: 0 }
    }

    /// The expression, after which nothing stands.
    pub fn whole(&mut self) -> Found {
        let value = self.disjunction()?;
        if self.tokens.is_empty() { Ok(value) } else { Err(format!("{:?} after an expression", self.tokens)) }
    }

    /// The expression, which a comma and the message of an assertion may follow.
    pub fn before_comma(&mut self) -> Found {
        let value = self.disjunction()?;
        match self.tokens.first() {
            None | Some(Token::Sign(",")) => Ok(value),
            Some(other) => Err(format!("{other:?} after an assertion")),
        }
    }

    /// The names that were used and their values, as a sentence has them.
    pub fn values(&self) -> String {
        let one = |(name, value): (&String, &Value)| match value {
            Value::Number(number) => format!("{name} = {number}"),
            Value::Text(text) => format!("{name} = {text:?}"),
        };
        self.used.iter().filter(|(name, _)| !name.starts_with("TCP")).map(one).collect::<Vec<_>>().join(", ")
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.first(), Some(Token::Sign(here)) if *here == sign);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.first(), Some(Token::Name(here)) if here == word);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn disjunction(&mut self) -> Found {
        let mut value = self.conjunction()?;
        while self.takes_word("or") {
            let other = self.conjunction()?;
            value = if value.is_true() { value } else { other };
        }
        Ok(value)
    }

    fn conjunction(&mut self) -> Found {
        let mut value = self.negation()?;
        while self.takes_word("and") {
            let other = self.negation()?;
            value = if value.is_true() { other } else { value };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Found {
        let mut is_negated = false;
        while self.takes_word("not") {
            is_negated = !is_negated;
        }
        let value = self.comparison()?;
        Ok(if is_negated { truth(!value.is_true()) } else { value })
    }

    /// Comparisons in a chain hold if each does.
    fn comparison(&mut self) -> Found {
        let mut left = self.binary(0)?;
        let mut holds = None;
        while let Some(Token::Sign(sign @ ("==" | "!=" | "<" | "<=" | ">" | ">="))) = self.tokens.first() {
            self.tokens = &self.tokens[1..];
            let right = self.binary(0)?;
            holds = Some(holds.unwrap_or(true) && compare(&left, sign, &right)?);
            left = right;
        }
        Ok(holds.map_or(left, truth))
    }

    fn binary(&mut self, level: usize) -> Found {
        let Some(operators) = BINARY.get(level) else { return self.unary() };
        let mut value = self.binary(level + 1)?;
        while let Some(Token::Sign(sign)) = self.tokens.first()
            && operators.contains(sign)
        {
            self.tokens = &self.tokens[1..];
            let other = self.binary(level + 1)?;
            value = operate(&value, sign, &other)?;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Found {
        self.depth += 1;
        let value =
            if self.depth > DEEPEST { Err("an expression too deep".to_owned()) } else { self.signed() };
        self.depth -= 1;
        value
    }

    fn signed(&mut self) -> Found {
        if self.takes("-") {
            return Ok(Value::Number(-number(&self.unary()?)?));
        }
        if self.takes("~") {
            return Ok(Value::Number(!(number(&self.unary()?)? as i64) as f64));
        }
        let base = self.primary()?;
        if self.takes("**") {
            return Ok(Value::Number(number(&base)?.powf(number(&self.unary()?)?)));
        }
        Ok(base)
    }

    fn primary(&mut self) -> Found {
        let Some((first, rest)) = self.tokens.split_first() else {
            return Err("an expression that ends early".to_owned());
        };
        self.tokens = rest;
        match first {
            Token::Number(number) => Ok(Value::Number(*number)),
            Token::Text(text) => Ok(Value::Text(text.clone())),
            Token::Sign("(") => {
                let value = self.disjunction()?;
                if self.takes(")") { Ok(value) } else { Err("a bracket that is not closed".to_owned()) }
            }
            Token::Name(name) if self.takes("(") => self.function(name),
            Token::Name(name) => self.value_of(name),
            Token::Sign(sign) => Err(format!("{sign} where a value is expected")),
        }
    }

    fn value_of(&mut self, name: &str) -> Found {
        let own = self.names.get(name).cloned();
        let value = own.or_else(|| match name {
            "True" => Some(truth(true)),
            "False" => Some(truth(false)),
            _ => (self.known)(name).map(Value::Number),
        });
        let value = value.ok_or_else(|| format!("{name} is not known here"))?;
        self.used.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    fn function(&mut self, name: &str) -> Found {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            arguments.push(number(&self.disjunction()?)?);
            if !self.takes(",") && self.tokens.is_empty() {
                return Err(format!("{name} without its closing bracket"));
            }
        }
        let value = match (name, arguments.as_slice()) {
            ("abs", [one]) => one.abs(),
            ("int", [one]) => one.trunc(),
            ("float", [one]) => *one,
            ("round", [one]) => one.round_ties_even(),
            ("min", [_, ..]) => arguments.iter().copied().fold(f64::INFINITY, f64::min),
            ("max", [_, ..]) => arguments.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            _ => return Err(format!("the function {name}")),
        };
        Ok(Value::Number(value))
    }
}

fn truth(holds: bool) -> Value {
    Value::Number(f64::from(u8::from(holds)))
}

fn number(value: &Value) -> Result<f64, String> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::Text(text) => Err(format!("the text {text:?} where a number is expected")),
    }
}

#[expect(clippy::float_cmp, reason = "values of counters are whole numbers")]
fn compare(left: &Value, sign: &str, right: &Value) -> Result<bool, String> {
    if let (Value::Text(left), Value::Text(right)) = (left, right) {
        return match sign {
            "==" => Ok(left == right),
            "!=" => Ok(left != right),
            _ => Err(format!("{sign} between texts")),
        };
    }
    let (left, right) = (number(left)?, number(right)?);
    Ok(match sign {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        _ => left >= right,
    })
}

fn operate(left: &Value, sign: &str, right: &Value) -> Found {
    let (left, right) = (number(left)?, number(right)?);
    let bits = (left as i64, right as i64);
    if matches!(sign, "/" | "//" | "%") && right == 0.0 {
        return Err("a division by zero".to_owned());
    }
    Ok(Value::Number(match sign {
        "|" => (bits.0 | bits.1) as f64,
        "^" => (bits.0 ^ bits.1) as f64,
        "&" => (bits.0 & bits.1) as f64,
        "<<" => left * 2_f64.powf(right),
        ">>" => (left / 2_f64.powf(right)).floor(),
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "//" => (left / right).floor(),
        _ => left - right * (left / right).floor(),
    }))
}
