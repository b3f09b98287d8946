//! The number of flows, and their names.

use std::collections::BTreeSet;

use crate::read::error::{Checked, ScenarioError, clip};
use crate::read::key::Key;
use crate::read::limits::MOST_FLOWS;
use crate::settings::{CALL, Names, Settings, TCP, UDP};

impl Settings {
    /// Refuses more flows than are possible, and a scenario without any.
    pub(crate) fn check_flow_count(&self) -> Checked {
        // Only chance may leave a group without flows.
        for group in self.groups().filter(|group| !group.is_open) {
            group.key().then("count").within(group.count, MOST_FLOWS)?;
        }
        let (sum, at) = (self.flow_count(), Key::top("flow"));
        if sum > MOST_FLOWS {
            let message = format!("found {sum} flows over all groups; at most {MOST_FLOWS} are possible");
            return Err(at.wrong(sum, message));
        }
        if sum == 0 && !self.flow.is_empty() {
            return Err(at.error("no flow arrives before the end of the run"));
        }
        if sum == 0 {
            return Err(at.error("missing; a scenario has at least one [[flow]], [[udp]] or [[call]]"));
        }
        Ok(())
    }

    /// Refuses two flows of the same name: it identifies results, and random streams depend on it.
    pub(crate) fn check_flow_names(&self) -> Checked {
        for group in self.groups() {
            if let Some(name) = group.name
                && (name.is_empty() || name.chars().count() > 100 || name.contains(char::is_control))
            {
                let name = clip(name);
                let message = format!("found {name:?}; a flow's name is a text of 1 to 100 characters");
                return Err(group.key().then("name").wrong(name, message));
            }
        }
        if self.has_distinct_stems() {
            return Ok(());
        }
        let mut each = Names::with_capacity(self.flow_count() as usize);
        self.each_flow(|flow| each.push(&flow.name));
        self.each_udp_flow(|flow| each.push(&flow.name));
        self.each_call(|call| each.push(&call.name));
        let mut names: Vec<&str> = (0..each.len()).map(|flow| each.get(flow)).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let message = format!("two flows are named {:?}; every flow has a name of its own", pair[0]);
                Err(ScenarioError::at("flow", message).with_found(pair[0]))
            }
            None => Ok(()),
        }
    }

    /// True if the names of any two groups differ in more than numbers at their ends. Flows of different
    /// groups then have different names, and flows of one group always do: the names of a million flows need
    /// not be compared.
    fn has_distinct_stems(&self) -> bool {
        let mut names: Vec<&str> = self.groups().filter_map(|group| group.name).collect();
        let nameless: BTreeSet<&str> =
            self.groups().filter(|group| group.name.is_none()).map(|group| group.default).collect();
        names.extend(nameless);
        let is_number = |end: char| end.is_ascii_digit() || end == '.';
        let mut stems: Vec<&str> = names.iter().map(|name| name.trim_end_matches(is_number)).collect();
        stems.sort_unstable();
        stems.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// The groups of flows of all tables.
    fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let flows = self.flow.iter().enumerate().map(|(index, group)| {
            let (name, count, is_open) = (group.name.as_deref(), group.count, group.is_open());
            Group { table: "flow", default: TCP, index, name, count, is_open }
        });
        let datagrams = self.udp.iter().enumerate().map(|(index, group)| {
            let (name, count) = (group.name.as_deref(), group.count);
            Group { table: "udp", default: UDP, index, name, count, is_open: false }
        });
        let calls = self.call.iter().enumerate().map(|(index, group)| {
            let (name, count) = (group.name.as_deref(), group.count);
            Group { table: "call", default: CALL, index, name, count, is_open: false }
        });
        flows.chain(datagrams).chain(calls)
    }
}

/// A group of flows, whatever its table.
struct Group<'a> {
    table: &'static str,
    /// The name of its flows without one.
    default: &'static str,
    index: usize,
    name: Option<&'a str>,
    count: u32,
    is_open: bool,
}

impl Group<'_> {
    fn key(&self) -> Key {
        Key::top(self.table).then(self.index)
    }
}
