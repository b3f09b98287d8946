//! The Python of scripts: assertions on the values of `tcp_info`, assignments and printing.
//!
//! It reads the part of Python that scripts use: numbers and texts, comparisons in chains, `and`,
//! `or` and `not`, arithmetic, bits, and a few functions.

mod expression;
mod token;
mod value;

use expression::Parser;
use token::{Token, tokens};
pub(crate) use value::Names;

/// The outcome of a piece of Python.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Holds,
    /// The assertion, and the values of the names in it.
    Fails {
        assertion: String,
        values: String,
    },
    /// A part that cannot be read or is not known.
    Unknown(String),
}

/// Runs a piece of Python. `known` gives the values of names that the script has not set.
pub(crate) fn examine(code: &str, names: &mut Names, known: &dyn Fn(&str) -> Option<f64>) -> Outcome {
    for statement in statements(code) {
        match one(&statement, names, known) {
            Outcome::Holds => {}
            other => return other,
        }
    }
    Outcome::Holds
}

/// The statements: lines, joined where a bracket is open, and parted at semicolons.
fn statements(code: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let (mut depth, mut quote, mut comment) = (0, None, false);
    for c in code.chars() {
        let ends = c == '\n' || (c == ';' && !comment);
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') if !comment => quote = Some(c),
            (None, '#') => comment = true,
            (None, '(' | '[') if !comment => depth += 1,
            (None, ')' | ']') if !comment => depth -= 1,
            _ => {}
        }
        if c == '\n' {
            comment = false;
        }
        if ends && quote.is_none() && depth == 0 {
            found.push(String::new());
        } else if !comment {
            found.last_mut().expect("it begins with one").push(c);
        }
    }
    found.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

fn one(statement: &str, names: &mut Names, known: &dyn Fn(&str) -> Option<f64>) -> Outcome {
    let tokens = match tokens(statement) {
        Ok(tokens) => tokens,
        Err(problem) => return Outcome::Unknown(problem),
    };
    match tokens.as_slice() {
        [Token::Name(word), ..] if matches!(word.as_str(), "print" | "import" | "from" | "pass") => {
            Outcome::Holds
        }
        [Token::Name(word), rest @ ..] if word == "assert" => assertion(statement, rest, names, known),
        [Token::Name(name), Token::Sign("="), rest @ ..] => assign(name, rest, names, known),
        // `x += 1` is `x = x + (1)`.
        [name @ Token::Name(word), sign @ Token::Sign("+" | "-" | "*"), Token::Sign("="), rest @ ..] => {
            let mut sum = vec![name.clone(), sign.clone(), Token::Sign("(")];
            sum.extend_from_slice(rest);
            sum.push(Token::Sign(")"));
            assign(word, &sum, names, known)
        }
        _ => Outcome::Unknown(format!("the statement {statement}")),
    }
}

fn assign(name: &str, tokens: &[Token], names: &mut Names, known: &dyn Fn(&str) -> Option<f64>) -> Outcome {
    match Parser::new(tokens, names, known).whole() {
        Ok(value) => {
            names.insert(name.to_owned(), value);
            Outcome::Holds
        }
        Err(problem) => Outcome::Unknown(problem),
    }
}

fn assertion(
    statement: &str,
    tokens: &[Token],
    names: &Names,
    known: &dyn Fn(&str) -> Option<f64>,
) -> Outcome {
    let mut parser = Parser::new(tokens, names, known);
    match parser.before_comma() {
        Ok(value) if value.is_true() => Outcome::Holds,
        Ok(_) => {
            let text = statement.trim_start_matches("assert").trim();
            Outcome::Fails { assertion: text.to_owned(), values: parser.values() }
        }
        Err(problem) => Outcome::Unknown(problem),
    }
}

#[cfg(test)]
mod tests;
