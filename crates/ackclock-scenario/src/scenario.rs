//! A scenario: read, checked, changed, and written back as it was read.

use std::ops::Deref;

use serde_json::Value;

use crate::checks;
use crate::endpoints::systems;
use crate::links::paths;
use crate::read::error::ScenarioError;
use crate::read::files::{self, ReadFile};
use crate::read::key::Key;
use crate::read::{draw, reader, tree};
use crate::settings::Settings;

/// A scenario that was read and checked: its [`Settings`], which are read-only, and the text's own tree of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    settings: Settings,
    /// The values as written, without defaults: the scenario is written back from them.
    tree: Value,
    /// Names of algorithms that the caller brings to the run.
    custom: Vec<String>,
}

impl Deref for Scenario {
    type Target = Settings;
    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Scenario {
    /// Reads a scenario from TOML. `custom` are names of algorithms, in addition to the registered ones, that
    /// the caller will bring to the run. It may name no files.
    ///
    /// # Errors
    /// When the text is no TOML, or anything in it cannot be right.
    pub fn from_toml(text: &str, custom: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::from_toml_and_files(text, custom, &files::none)
    }

    /// As [`Scenario::from_toml`], with `read` to read the files that it names. Their contents become part of the
    /// scenario.
    ///
    /// # Errors
    /// As [`Scenario::from_toml`], or when something is wrong with a file.
    pub fn from_toml_and_files(
        text: &str,
        custom: &[String],
        read: ReadFile,
    ) -> Result<Scenario, ScenarioError> {
        Scenario::from_tree(tree::from_toml(text)?, custom.to_vec(), read)
    }

    /// Reads a scenario from JSON, where a key whose value is null counts as left out. It may name no files.
    ///
    /// # Errors
    /// When the text is no JSON, or anything in it cannot be right.
    pub fn from_json(text: &str, custom: &[String]) -> Result<Scenario, ScenarioError> {
        Scenario::from_json_and_files(text, custom, &files::none)
    }

    /// As [`Scenario::from_json`], with `read` to read the files that it names.
    ///
    /// # Errors
    /// As [`Scenario::from_json`], or when something is wrong with a file.
    pub fn from_json_and_files(
        text: &str,
        custom: &[String],
        read: ReadFile,
    ) -> Result<Scenario, ScenarioError> {
        Scenario::from_tree(tree::from_json(text)?, custom.to_vec(), read)
    }

    fn from_tree(mut tree: Value, custom: Vec<String>, read: ReadFile) -> Result<Scenario, ScenarioError> {
        files::take_over(&mut tree, read)?;
        draw::take_over(&mut tree, read)?;
        for extreme in draw::extremes(&tree)? {
            settings_of(&extreme, &custom)?;
        }
        Scenario::of_whole(tree, custom)
    }

    /// The scenario of a tree that names no files.
    fn of_whole(tree: Value, custom: Vec<String>) -> Result<Scenario, ScenarioError> {
        let settings = settings_of(&*draw::spelled_out(&tree)?, &custom)?;
        Ok(Scenario { settings, tree, custom })
    }

    /// The scenario as TOML: what was read, in its order, with nothing added.
    pub fn to_toml(&self) -> String {
        tree::to_toml(&self.tree)
    }

    /// The scenario as JSON: what was read, in its order, with nothing added.
    pub fn to_json(&self) -> String {
        self.tree.to_string()
    }

    /// The values that the seed has drawn, with their paths. Passed to [`Scenario::with`], they set the same
    /// values again.
    pub fn drawn(&self) -> impl Iterator<Item = (&str, String)> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.settings.draw.iter().map(move |(path, value)| (path.as_str(), text(value)))
    }

    /// The names of algorithms that the caller brings to the run.
    pub fn custom(&self) -> &[String] {
        &self.custom
    }

    /// A copy in which these names of algorithms are valid too.
    pub fn with_custom(&self, names: &[String]) -> Scenario {
        Scenario { custom: [self.custom.as_slice(), names].concat(), ..self.clone() }
    }

    /// A copy with one value replaced or added: `with("tcp.mss", "1000 bytes")`, with list elements by
    /// number as in `flow.0.packets`. The value is what TOML reads from the text (`100`, `true`, `["a", "b"]`), or
    /// else the text itself.
    ///
    /// # Errors
    /// When there is no such key, or the scenario cannot be right with this value.
    pub fn with(&self, path: &str, value: &str) -> Result<Scenario, ScenarioError> {
        self.with_all([(path, value)])
    }

    /// A copy with several values replaced or added, checked when all are in place: a shorter duration and a
    /// shorter warm-up go together, in either order.
    ///
    /// # Errors
    /// As [`Scenario::with`].
    pub fn with_all<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Scenario, ScenarioError> {
        self.with_all_and_files(values, &files::none)
    }

    /// As [`Scenario::with_all`], with `read` to read the files that the values name.
    ///
    /// # Errors
    /// As [`Scenario::with`], or when something is wrong with a file.
    pub fn with_all_and_files<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
        read: ReadFile,
    ) -> Result<Scenario, ScenarioError> {
        let (mut tree, mut seed_alone) = (self.tree.clone(), true);
        for (path, value) in values {
            draw::settle(&mut tree, path)?;
            tree::set(&mut tree, path, tree::value_of(value, path)?)?;
            seed_alone &= path == "seed";
        }
        if seed_alone { self.seeded(tree) } else { Scenario::from_tree(tree, self.custom.clone(), read) }
    }

    /// The scenario of a tree that differs only in its seed. If the seed draws no values and no arrivals, the
    /// other settings are not read again, since a sweep takes thousands of seeds.
    fn seeded(&self, tree: Value) -> Result<Scenario, ScenarioError> {
        let custom = self.custom.clone();
        let draws = draw::has_laws(&tree) || self.flow.iter().any(|group| group.arrivals.is_some());
        match tree.get("seed").and_then(Value::as_u64) {
            Some(seed) if !draws => {
                Ok(Scenario { settings: Settings { seed, ..self.settings.clone() }, tree, custom })
            }
            _ => Scenario::of_whole(tree, custom),
        }
    }
}

/// Reads and checks the values of a tree; `custom` are the algorithms that the caller brings.
fn settings_of(tree: &Value, custom: &[String]) -> Result<Settings, ScenarioError> {
    let whole = systems::spelled_out(&paths::spelled_out(tree)?)?;
    let mut settings: Settings = reader::read(&tree::with_tables_in_flows(&whole))?;
    for (index, group) in settings.flow.iter().enumerate() {
        group.check_arrivals(&Key::top("flow").then(index), settings.duration)?;
    }
    settings.settle()?;
    checks::check(&settings, tree, custom)?;
    Ok(settings)
}
