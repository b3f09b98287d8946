//! The built-in pages.
//!
//! The numbers of objects and their bytes by type are the medians of the Web Almanac 2024 of the HTTP Archive, chapter *Page
//! Weight* (October 2024): "Median number of requests by content type and device type", "Median homepage weight by content and
//! device type". Its 13 to 15 requests of other types have no weight there, and are left out. Everything else is our own
//! choice: sizes of one type are as 1, 1/2, 1/3, .., and the document mentions what it needs at the places given below.

use ackclock_application::PageObject;
use ackclock_units::Duration;

/// The bytes of a kilobyte of the HTTP Archive.
const KILOBYTE: u64 = 1024;

/// A built-in page, by the number of objects of each type and their bytes together.
pub(super) struct BuiltInPage {
    pub name: &'static str,
    types: [(u32, u64); 5],
}

/// The built-in pages: HTML, CSS, fonts, scripts and images of each.
pub(super) const PAGES: &[BuiltInPage] = &[
    BuiltInPage { name: "median-desktop", types: [(2, 18), (8, 78), (4, 131), (24, 613), (18, 1054)] },
    BuiltInPage { name: "median-mobile", types: [(2, 18), (8, 73), (3, 111), (22, 558), (16, 900)] },
    // Of our own: a page of text with few pictures.
    BuiltInPage { name: "small", types: [(1, 20), (1, 20), (1, 30), (2, 50), (5, 100)] },
];

/// A type of objects.
struct Type {
    name: &'static str,
    /// Where the document mentions the first and the last, as parts of its bytes; none for what the first style sheet mentions.
    mentioned: Option<(f64, f64)>,
    /// The time from the mention to the request.
    delay: Duration,
    urgency: u8,
    incremental: bool,
    visual: bool,
}

/// The types. Style sheets and scripts are mentioned at the beginning of the document, pictures all over it. Style sheets, fonts
/// and scripts are of use as a whole.
const TYPES: [Type; 5] = [
    Type {
        name: "html",
        mentioned: Some((0.5, 1.0)),
        delay: Duration::ZERO,
        urgency: 3,
        incremental: true,
        visual: true,
    },
    Type {
        name: "css",
        mentioned: Some((0.1, 0.2)),
        delay: Duration::ZERO,
        urgency: 1,
        incremental: false,
        visual: false,
    },
    Type {
        name: "font",
        mentioned: None,
        delay: Duration::from_millis(10),
        urgency: 2,
        incremental: false,
        visual: true,
    },
    Type {
        name: "script",
        mentioned: Some((0.2, 1.0)),
        delay: Duration::ZERO,
        urgency: 3,
        incremental: false,
        visual: false,
    },
    Type {
        name: "image",
        mentioned: Some((0.3, 1.0)),
        delay: Duration::ZERO,
        urgency: 5,
        incremental: true,
        visual: true,
    },
];

/// The page of a name.
pub(super) fn find(name: &str) -> Option<&'static BuiltInPage> {
    PAGES.iter().find(|page| page.name == name)
}

impl BuiltInPage {
    /// Its objects.
    pub fn objects(&self) -> Vec<PageObject> {
        let mut objects: Vec<PageObject> = Vec::new();
        for (kind, (count, kilobytes)) in TYPES.iter().zip(self.types) {
            let parts: f64 = (1..=count).map(|number| 1.0 / f64::from(number)).sum();
            for number in 1..=count {
                let bytes = (kilobytes * KILOBYTE) as f64 / f64::from(number) / parts;
                let place = f64::from(number - 1) / f64::from((count - 1).max(1));
                let mention = objects.first().map(|document| {
                    if let Some((from, to)) = kind.mentioned {
                        return (0, (document.bytes as f64 * (from + (to - from) * place)) as u64);
                    }
                    // Style sheets follow the HTML.
                    let sheet = self.types[0].0;
                    (sheet, objects[sheet as usize].bytes)
                });
                objects.push(PageObject {
                    name: format!("{}{number}", kind.name),
                    bytes: bytes as u64,
                    parent: mention.map(|(parent, _)| parent),
                    offset: mention.map_or(0, |(_, offset)| offset),
                    delay: kind.delay,
                    urgency: kind.urgency,
                    incremental: kind.incremental,
                    visual: kind.visual,
                });
            }
        }
        objects
    }
}
