//! A web page as a graph of objects: what each holds, and what must arrive before a browser asks for it.

use ackclock_units::Duration;

/// An object of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageObject {
    /// Its name, which no other object of the page has.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The number of the object that mentions it, which comes earlier in the list; none for the first.
    pub parent: Option<u32>,
    /// The bytes of its parent that must have arrived, from the beginning.
    pub offset: u64,
    /// The time from their arrival to the request: parsing or execution.
    pub delay: Duration,
    /// The urgency, from 0, the highest, to 7 (RFC 9218, 4.1).
    pub urgency: u8,
    /// True if parts of it are of use before the whole is there (RFC 9218, 4.2).
    pub incremental: bool,
    /// True if its bytes count for what the user sees.
    pub visual: bool,
}

/// A page: its objects, the first of which is the document.
#[derive(Clone, Debug, PartialEq)]
pub struct PageGraph {
    objects: Vec<PageObject>,
    /// By object: those that it mentions, in the order of their offsets.
    children: Vec<Vec<u32>>,
}

impl PageGraph {
    /// A page of these objects.
    ///
    /// # Panics
    /// If there is none, or a parent does not come before its children.
    pub fn new(objects: Vec<PageObject>) -> PageGraph {
        assert!(!objects.is_empty(), "a page has a document");
        let mut children = vec![Vec::new(); objects.len()];
        for (number, object) in objects.iter().enumerate() {
            match object.parent {
                Some(parent) => {
                    assert!((parent as usize) < number, "a parent comes before its children");
                    children[parent as usize].push(number as u32);
                }
                None => assert_eq!(number, 0, "only the document has no parent"),
            }
        }
        for list in &mut children {
            list.sort_by_key(|child| objects[*child as usize].offset);
        }
        PageGraph { objects, children }
    }

    /// Its objects.
    pub fn objects(&self) -> &[PageObject] {
        &self.objects
    }

    /// The bytes that count for what the user sees.
    pub fn visual_bytes(&self) -> u64 {
        self.objects.iter().filter(|object| object.visual).map(|object| object.bytes).sum()
    }

    /// The objects that an object mentions, in the order of their offsets.
    pub(super) fn children(&self, object: u32) -> &[u32] {
        &self.children[object as usize]
    }

    pub(super) fn get(&self, object: u32) -> &PageObject {
        &self.objects[object as usize]
    }
}
