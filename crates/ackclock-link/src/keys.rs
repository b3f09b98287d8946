//! From the command line to the link's two directions.

use std::fs;
use std::path::Path;

use ackclock_network::LinkConfig;
use ackclock_simulation::scenario::{Unreadable, lone_link};
use serde_json::{Map, Value, json};

use crate::Options;

/// The forward and the backward direction of the link.
///
/// # Errors
/// A sentence about a key or a value that cannot be right.
pub fn link(options: &Options) -> Result<[LinkConfig; 2], String> {
    let mut keys = Map::new();
    let own = [
        ("rate", &options.rate),
        ("delay", &options.delay),
        ("buffer", &options.buffer),
        ("queue", &options.queue),
        ("loss", &options.loss),
        ("ecn_threshold", &options.ecn_threshold),
        ("path", &options.path),
    ];
    for (key, text) in own {
        if let Some(text) = text {
            set(&mut keys, key, text)?;
        }
    }
    for pair in &options.set {
        let Some((key, text)) = pair.split_once('=') else {
            return Err(format!("--set {pair}: expected KEY=VALUE, such as reverse.rate=\"1 Mbit/s\""));
        };
        set(&mut keys, key.trim(), text.trim())?;
    }
    let text = Value::Object(keys).to_string();
    let link = lone_link(&text, options.duration, &read).map_err(|error| error.to_string())?;
    for config in &link {
        if config.path.impairments.iter().any(|part| part.entry().name == "duplication") {
            return Err("link.impairments: duplication is not carried by an emulated link".to_owned());
        }
    }
    Ok(link)
}

/// Sets a key, whose levels are separated by points.
fn set(keys: &mut Map<String, Value>, key: &str, text: &str) -> Result<(), String> {
    if let Some((table, rest)) = key.split_once('.') {
        return match keys.entry(table).or_insert_with(|| Value::Object(Map::new())) {
            Value::Object(inner) => set(inner, rest, text),
            _ => Err(format!("link.{table}: found a value, and {key:?} in addition")),
        };
    }
    let value = match value(text) {
        Value::Number(probability) if key == "loss" => json!({ "bernoulli": probability }),
        value => value,
    };
    if keys.insert(key.to_owned(), value).is_some() {
        return Err(format!("link.{key}: given twice"));
    }
    Ok(())
}

/// A value as TOML reads it, or else the text itself.
fn value(text: &str) -> Value {
    let table: Result<toml::Table, _> = toml::from_str(&format!("value = {text}"));
    let value = table.ok().and_then(|mut table| table.remove("value"));
    value.and_then(|value| serde_json::to_value(value).ok()).unwrap_or_else(|| Value::from(text))
}

/// Reads a trace or a table that the link names.
fn read(name: &str) -> Result<String, Unreadable> {
    fs::read_to_string(name).map_err(|error| {
        let folder = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
        let mut others: Vec<String> =
            folder.filter_map(|entry| entry.path().to_str().map(str::to_owned)).collect();
        others.sort();
        Unreadable { reason: error.to_string(), others }
    })
}

#[cfg(test)]
mod tests {
    use ackclock_network::{BufferSize, LossModel, Queue};
    use clap::Parser;

    use super::{Options, link};

    fn options(more: &[&str]) -> Options {
        Options::parse_from(["ackclock-link", "a", "b"].iter().chain(more))
    }

    #[test]
    fn options_are_the_keys_of_a_link() {
        let more = ["--rate", "20 Mbit/s", "--delay", "20 ms", "--buffer", "20 packets", "--loss", "0.01"];
        let [forward, backward] = link(&options(&more)).expect("a link");
        assert_eq!(forward.rate.to_string(), "20 Mbit/s");
        assert_eq!(forward.buffer, BufferSize::Packets(20));
        assert_eq!(forward.loss, LossModel::Bernoulli(0.01));
        assert_eq!(backward.loss, LossModel::None, "losses are forward");
    }

    #[test]
    fn any_key_can_be_set() {
        let more =
            ["--rate", "1 Mbit/s", "--delay", "1 ms", "--queue", "codel", "--set", "reverse.queue=droptail"];
        let [forward, backward] = link(&options(&more)).expect("a link");
        assert!(matches!(forward.queue, Queue::Codel(_)));
        assert!(backward.queue.is_drop_tail());
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |more: &[&str]| link(&options(more)).expect_err("a mistake");
        assert!(wrong(&["--rate", "1 Mbit/s"]).starts_with("link.delay: missing"));
        let nearest = wrong(&["--rate", "1 Mbit/s", "--delay", "1 ms", "--queue", "fq-code"]);
        assert!(nearest.contains("did you mean \"fq-codel\"?"), "{nearest}");
        assert_eq!(
            wrong(&["--set", "rate"]),
            "--set rate: expected KEY=VALUE, such as reverse.rate=\"1 Mbit/s\""
        );
        assert_eq!(wrong(&["--rate", "1 Mbit/s", "--set", "rate=2 Mbit/s"]), "link.rate: given twice");
    }
}
