//! `smart_framing` of `[tcp]`: the controllers whose packets may be segments of different sizes.

use ackclock_congestion::Start;
use ackclock_transport::{Controller, Transport, Variant};

use crate::read::error::{Checked, clip};
use crate::read::key::Key;
use crate::settings::Settings;
use crate::traffic::applications::Application;

impl Settings {
    /// Refuses small segments for controllers that use or set rates in packets, and for transports without
    /// segments.
    pub(crate) fn check_framing(&self, custom: &[String]) -> Checked {
        let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
        for (index, group) in
            self.flow.iter().enumerate().filter(|(_, group)| group.tcp.settings.smart_framing)
        {
            let at = Key::top("flow").then(index).then("tcp").then("smart_framing");
            if matches!(&group.application, Application::Pages(pages) if pages.pool.streams) {
                return Err(at.error(
                    "streams tell packets of one size apart; a pool without \"streams\" can have small ones",
                ));
            }
            for name in group.algorithm_names() {
                let Ok(variant) = Variant::parse(name, &custom) else { continue };
                if !divides(&variant) {
                    let message = format!(
                        "{name} counts packets of one size; TCP with a controller that needs the window alone, such as \
                         \"newreno\", sends small segments"
                    );
                    return Err(at.wrong(clip(name), message));
                }
            }
        }
        Ok(())
    }
}

/// A sender whose window can be divided: TCP, with a controller that needs neither rate samples nor pacing.
fn divides(variant: &Variant) -> bool {
    let Controller::Known(spec) = &variant.controller else { return false };
    let needs = spec.build(&Start::default()).needs();
    matches!(variant.transport, Transport::Tcp(_)) && !needs.samples && !needs.pacing
}
