//! `[draw]`: values that the seed of a run draws, so that one scenario describes many paths, one for each seed.
//!
//! A law is written at the path of the value that it draws: `[draw.topology.dumbbell.bottleneck]`, `rate = {
//! uniform = { from = "5 Mbit/s", to = "50 Mbit/s" } }`.

mod range;

use std::borrow::Cow;

use ackclock_random::RandomStream;
use serde_json::{Map, Value};

use self::range::Range;
use super::error::{ScenarioError, clip};
use super::files::{self, ReadFile};
use super::key::Key;
use super::tree;

/// The name of the table, with which an error's key may begin.
const DRAW: &str = "draw";
const LAWS: [&str; 3] = ["uniform", "log_uniform", "choice"];

/// A value to be drawn.
struct Draw {
    /// Its path from the top of the scenario.
    path: String,
    law: Law,
}

enum Law {
    /// Every value between two, or every ratio of values, equally likely.
    Range(Range),
    /// Each of several values equally likely.
    Choice(Vec<Value>),
}

impl Law {
    fn draw(&self, random: &mut RandomStream) -> Value {
        match self {
            Law::Range(range) => range.draw(random),
            Law::Choice(values) => values[random.below(values.len() as u32) as usize].clone(),
        }
    }

    /// The values to check for all: every choice, or both ends.
    fn extremes(&self) -> Vec<Value> {
        match self {
            Law::Range(range) => range.ends().to_vec(),
            Law::Choice(values) => values.clone(),
        }
    }
}

/// True if the seed draws values of the tree.
pub(crate) fn has_laws(tree: &Value) -> bool {
    tree.get(DRAW).is_some()
}

/// The tree with the values that its seed draws; `draw` becomes the list of these values by path.
pub(crate) fn spelled_out(tree: &Value) -> Result<Cow<'_, Value>, ScenarioError> {
    if !has_laws(tree) {
        return Ok(Cow::Borrowed(tree));
    }
    let seed = tree.get("seed").and_then(Value::as_u64).unwrap_or(1);
    let mut whole = without(tree);
    let mut drawn = Map::new();
    for Draw { path, law } in draws(tree)? {
        // Each value has its own stream, so another value or another law does not change the others.
        let value = law.draw(&mut RandomStream::new(seed, &format!("draw {path}")));
        tree::set(&mut whole, &path, value.clone())?;
        drawn.insert(path, value);
    }
    tree::set(&mut whole, DRAW, Value::Object(drawn))?;
    Ok(Cow::Owned(whole))
}

/// The trees in which one value is an extreme of its law and the others are as drawn. If these are valid,
/// others rarely are not.
pub(crate) fn extremes(tree: &Value) -> Result<Vec<Value>, ScenarioError> {
    let mut trees = Vec::new();
    for Draw { path, law } in draws(tree)? {
        for value in law.extremes() {
            let mut whole = spelled_out(tree)?.into_owned();
            tree::set(&mut whole, &path, value)?;
            trees.push(whole);
        }
    }
    Ok(trees)
}

/// Removes the laws of the value at a path and of the values below it: a value that is set is not drawn. A
/// value in a table that is drawn as a whole cannot be set.
pub(crate) fn settle(tree: &mut Value, path: &str) -> Result<(), ScenarioError> {
    if let Some(laws) = tree.get_mut(DRAW).and_then(Value::as_object_mut) {
        remove(laws, path);
    }
    let above = draws(tree)?.into_iter().find(|draw| path != draw.path && is_below(path, &draw.path));
    above.map_or(Ok(()), |Draw { path: drawn, .. }| {
        let message =
            format!("{drawn}, of which it is a part, is drawn by the seed: set {drawn}, or its law");
        Err(ScenarioError::at(clip(path), message))
    })
}

fn remove(laws: &mut Map<String, Value>, path: &str) {
    // A key in quotation marks may hold several steps of a path.
    laws.retain(|key, _| !is_below(key, path));
    for (key, value) in laws.iter_mut().filter(|(key, _)| !LAWS.contains(&key.as_str())) {
        let rest = path.strip_prefix(key.as_str()).and_then(|rest| rest.strip_prefix('.'));
        if let (Some(rest), Some(table)) = (rest, value.as_object_mut()) {
            remove(table, rest);
        }
    }
    laws.retain(|_, value| value.as_object().is_none_or(|table| !table.is_empty()));
}

/// True if `key` is `path` itself or a key in its table.
fn is_below(key: &str, path: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Replaces names of files by their contents in the values to choose from.
pub(crate) fn take_over(tree: &mut Value, read: ReadFile) -> Result<(), ScenarioError> {
    tree.get_mut(DRAW).map_or(Ok(()), |laws| take_over_below(laws, DRAW, DRAW, read))
}

/// `name` is the last step of the path, which identifies a trace of rates.
fn take_over_below(value: &mut Value, name: &str, at: &str, read: ReadFile) -> Result<(), ScenarioError> {
    let Value::Object(table) = value else { return Ok(()) };
    for (key, value) in table.iter_mut() {
        let Value::Array(choices) = value else {
            let last = key.rsplit('.').next().unwrap_or(key);
            take_over_below(value, last, &format!("{at}.{key}"), read)?;
            continue;
        };
        for (index, choice) in choices.iter_mut().enumerate() {
            let mut link = Value::Object(Map::from_iter([(name.to_owned(), choice.take())]));
            files::take_over_links(&mut link, &format!("{at}.{key}.{index}"), read)?;
            *choice = link[name].take();
        }
    }
    Ok(())
}

fn without(tree: &Value) -> Value {
    let entries = tree.as_object().into_iter().flatten().filter(|(key, _)| *key != DRAW);
    Value::Object(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// The values to be drawn, in the order of the text.
fn draws(tree: &Value) -> Result<Vec<Draw>, ScenarioError> {
    let mut found = Vec::new();
    if let Some(laws) = tree.get(DRAW) {
        collect(laws, "", &Key::top(DRAW), &mut found)?;
    }
    Ok(found)
}

/// `path` is the path of the value to draw, `at` the path of its law.
fn collect(value: &Value, path: &str, at: &Key, found: &mut Vec<Draw>) -> Result<(), ScenarioError> {
    let Value::Object(table) = value else {
        let shown = clip(&value.to_string());
        let message = format!(
            "found {shown}; expected a law, such as {{ uniform = {{ from = \"5 Mbit/s\", to = \"50 Mbit/s\" }} }} or {{ choice = [..] }}"
        );
        return Err(at.wrong(shown, message));
    };
    if table.keys().any(|key| LAWS.contains(&key.as_str())) && !path.is_empty() {
        found.push(Draw { path: path.to_owned(), law: law(table, at)? });
        return Ok(());
    }
    for (key, value) in table {
        let at = at.then(key);
        let is_law = value.is_array() || value.get("from").is_some_and(|from| !from.is_object());
        if is_law {
            return Err(ScenarioError::unknown_key(&*at, &clip(key), &LAWS));
        }
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if path == "seed" {
            return Err(at.error("the seed draws the other values, and is not drawn"));
        }
        collect(value, &path, &at, found)?;
    }
    Ok(())
}

fn law(table: &Map<String, Value>, at: &Key) -> Result<Law, ScenarioError> {
    let mut laws = table.iter();
    let (Some((name, value)), None) = (laws.next(), laws.next()) else {
        let names: Vec<&str> = table.keys().map(String::as_str).collect();
        let message =
            format!("found {}; expected exactly one of {}", clip(&names.join(" and ")), LAWS.join(", "));
        return Err(at.error(message));
    };
    let at = at.then(name);
    if name == "choice" {
        let values = value.as_array().filter(|values| !values.is_empty());
        let message = "expected a list of values, such as [\"10 packets\", \"100% bdp\"]";
        return values.cloned().map(Law::Choice).ok_or_else(|| at.error(message));
    }
    Range::read(value, name == "log_uniform", &at).map(Law::Range)
}
