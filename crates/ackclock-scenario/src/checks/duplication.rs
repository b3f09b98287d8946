//! Duplication of packets, and the transports that cannot have copies.

use crate::endpoints::algorithm;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::settings::Settings;
use crate::topology::link_name;

impl Settings {
    /// Refuses copies of packets for the ACK/NAK transport: its sender counts replies, and each
    /// packet sent has one.
    pub(crate) fn check_duplication(&self, custom: &[String]) -> Checked {
        let mut duplicating = None;
        self.topology.directions(&mut |from, to, link| {
            if link.impairments.iter().any(|one| one.entry().name == "duplication") {
                duplicating.get_or_insert_with(|| link_name(from, to));
            }
        });
        let Some(link) = duplicating else { return Ok(()) };
        for (index, group) in self.flow.iter().enumerate() {
            if let Some(stack) = group.stack {
                let message = format!(
                    "{stack} goes with no impairment \"duplication\", which {link} has: the simulator keeps one copy of its datagrams"
                );
                return Err(Key::top("flow").then(index).then("stack").wrong(stack, message));
            }
            let Some(name) = group.algorithm_names().find(|name| algorithm::is_acknak(name, custom)) else {
                continue;
            };
            let message = format!(
                "goes with no impairment \"duplication\", which {link} has: its sender counts replies, one for each packet; \
                 TCP and TFRC recognise copies"
            );
            return Err(Key::top("flow")
                .then(index)
                .then("algorithm")
                .wrong(name, format!("{name} {message}")));
        }
        Ok(())
    }
}
