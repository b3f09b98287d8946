//! `page` of a `[[flow]]`: the objects of a web page, written out or built in.

mod built_in;

use std::fmt;
use std::sync::Arc;

use ackclock_application::{PageGraph, PageObject};
use ackclock_units::{Bytes, Duration};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::read::error::{Checked, ScenarioError, clip};
use crate::read::key::Key;
use crate::read::limits::LONGEST_DELAY;
use crate::read::quantity;

/// The most objects of a page, and bytes of an object.
const MOST_OBJECTS: usize = 10_000;
const LARGEST_OBJECT: u64 = 10_000_000_000;
/// The highest number of an urgency (RFC 9218, 4.1), which is the least urgent, and the default.
const LEAST_URGENT: u8 = 7;
const DEFAULT_URGENCY: u8 = 3;

/// The page of a group of users: the name of a built-in one, or its objects.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Page {
    /// A built-in page by its name.
    BuiltIn(String),
    /// The objects, the first of which is the document.
    Written(WrittenPage),
}

/// A page as a table.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WrittenPage {
    /// Its objects, the first of which is the document.
    pub objects: Vec<WrittenObject>,
}

/// An object of a page.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WrittenObject {
    /// Its name.
    pub name: String,
    /// Its size.
    #[serde(deserialize_with = "quantity::read")]
    pub size: Bytes,
    /// The object that mentions it; the first of the list if omitted.
    pub parent: Option<String>,
    /// The part of the parent that must have arrived; the whole if omitted.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub offset: Option<Bytes>,
    /// The time from then to the request.
    #[serde(default, deserialize_with = "quantity::read")]
    pub delay: Duration,
    /// The urgency, from 0, the highest, to 7.
    #[serde(default = "default_urgency")]
    pub urgency: u8,
    /// True if parts of it are of use before the whole is there.
    #[serde(default)]
    pub incremental: bool,
    /// True if its bytes count for what the user sees.
    #[serde(default)]
    pub visual: bool,
}

impl<'de> Deserialize<'de> for Page {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Page, D::Error> {
        from.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = Page;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a built-in page such as \"median-desktop\", or { objects = [..] }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Page, E> {
        Ok(Page::BuiltIn(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Page, A::Error> {
        WrittenPage::deserialize(MapAccessDeserializer::new(table)).map(Page::Written)
    }
}

impl Page {
    /// The names of the built-in pages.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        built_in::PAGES.iter().map(|page| page.name)
    }

    /// Refuses a page that does not exist, or whose objects contradict each other.
    pub(crate) fn check(&self, at: &Key) -> Checked {
        match self {
            Page::BuiltIn(name) if built_in::find(name).is_some() => Ok(()),
            Page::BuiltIn(name) => {
                let name = clip(name);
                let known: Vec<&str> = Page::built_in().collect();
                let problem = format!("found {name:?}, which is no built-in page");
                Err(ScenarioError::unknown_name(&**at, &name, &problem, &known))
            }
            Page::Written(page) => page.check(&at.then("objects")),
        }
    }

    /// The page for the application.
    ///
    /// # Panics
    /// If it was not checked before.
    pub(crate) fn graph(&self) -> Arc<PageGraph> {
        Arc::new(PageGraph::new(match self {
            Page::BuiltIn(name) => built_in::find(name).expect("the name was checked").objects(),
            Page::Written(page) => page.graph(),
        }))
    }
}

impl WrittenPage {
    fn check(&self, at: &Key) -> Checked {
        let count = self.objects.len();
        if !(1..=MOST_OBJECTS).contains(&count) {
            let message = format!("found {count} objects; a page has 1 to {MOST_OBJECTS}");
            return Err(at.wrong(count, message));
        }
        for (number, object) in self.objects.iter().enumerate() {
            self.check_object(&at.then(number), number, object)?;
        }
        Ok(())
    }

    fn check_object(&self, at: &Key, number: usize, object: &WrittenObject) -> Checked {
        let before = &self.objects[..number];
        if before.iter().any(|other| other.name == object.name) {
            let name = clip(&object.name);
            return Err(at
                .then("name")
                .wrong(&name, format!("found {name:?}, which another object has too")));
        }
        if !(1..=LARGEST_OBJECT).contains(&object.size.get()) {
            let message = format!("found {}; an object has 1 to {LARGEST_OBJECT} bytes", object.size);
            return Err(at.then("size").wrong(object.size, message));
        }
        at.then("delay").at_most(object.delay, LONGEST_DELAY)?;
        if object.urgency > LEAST_URGENT {
            let found = object.urgency;
            let message = format!("found {found}; an urgency is a whole number from 0 to {LEAST_URGENT}");
            return Err(at.then("urgency").wrong(found, message));
        }
        if number == 0 {
            let own = [("parent", object.parent.is_some()), ("offset", object.offset.is_some())];
            return match own.iter().find(|(_, is_there)| *is_there) {
                Some((key, _)) => {
                    Err(at.then(key).error("the first object is the document, which no other mentions"))
                }
                None => Ok(()),
            };
        }
        let parent = self.parent(number).ok_or_else(|| {
            let known: Vec<&str> = before.iter().map(|object| object.name.as_str()).collect();
            let name = clip(object.parent.as_deref().unwrap_or_default());
            let problem = format!("found {name:?}, which is no object earlier in the list");
            ScenarioError::unknown_name(&*at.then("parent"), &name, &problem, &known)
        })?;
        let size = self.objects[parent].size;
        match object.offset {
            Some(offset) if offset > size => {
                let message = format!("found {offset}; its parent has {size}");
                Err(at.then("offset").wrong(offset, message))
            }
            _ => Ok(()),
        }
    }

    /// The number of an object's parent; none if no earlier object has the name.
    fn parent(&self, number: usize) -> Option<usize> {
        match &self.objects[number].parent {
            None => Some(0),
            Some(name) => self.objects[..number].iter().position(|object| object.name == *name),
        }
    }

    fn graph(&self) -> Vec<PageObject> {
        let objects = self.objects.iter().enumerate().map(|(number, object)| {
            let parent = self.parent(number).filter(|_| number > 0);
            let whole = parent.map_or(0, |parent| self.objects[parent].size.get());
            PageObject {
                name: object.name.clone(),
                bytes: object.size.get(),
                parent: parent.map(|parent| parent as u32),
                offset: object.offset.map_or(whole, Bytes::get),
                delay: object.delay,
                urgency: object.urgency,
                incremental: object.incremental,
                visual: object.visual,
            }
        });
        objects.collect()
    }
}

fn default_urgency() -> u8 {
    DEFAULT_URGENCY
}
