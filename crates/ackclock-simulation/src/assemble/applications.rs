//! The applications of a scenario, and the actions that they request at the beginning of the run.

use ackclock_application::{Action, Application};
use ackclock_scenario::{Application as Kind, FilmKeys, FlowIdentity, FlowSpec, Scenario, UdpSpec};
use ackclock_transport::Transfer;
use ackclock_units::Time;

use super::template::FlowTemplate;
use crate::simulation::Simulation;

/// The actions of applications at their start.
#[derive(Default)]
pub(super) struct Installation {
    /// The first timers, by application.
    pub timers: Vec<(u32, Time)>,
    /// The first transfers of the latest application, by flow.
    transfers: Vec<(u32, Transfer)>,
}

/// The sockets of an application.
struct Sockets<'a> {
    /// Its first flow, and their number.
    first_flow: u32,
    flows: u32,
    /// True if its flows go both ways.
    two_way: bool,
    /// True if each request and its response are recorded.
    answers: bool,
    /// The film that they carry, and when it begins.
    film: Option<(&'a FilmKeys, Time)>,
}

impl Simulation {
    /// Installs the application of a flow, if the flow is its first socket. Returns the flow's first transfer.
    pub(super) fn install(
        &mut self,
        scenario: &Scenario,
        flow: &FlowSpec<'_>,
        template: &FlowTemplate,
        installation: &mut Installation,
    ) -> Transfer {
        let (seed, start) = (scenario.seed, Time::ZERO + flow.start);
        let payload = flow.group.tcp.mss;
        let (name, connection) = flow.user.as_ref().map_or((&flow.name, 0), |(user, n)| (user, *n));
        if connection == 0 {
            let application = (template.install)(&FlowIdentity { seed, name, start, payload });
            let kind = &flow.group.application;
            let (flows, two_way) = (kind.flows(), kind.is_two_way());
            let answers = matches!(kind, Kind::RequestResponse(_));
            let film = kind.film().map(|film| (film, start));
            let sockets = Sockets { first_flow: flow.index, flows, two_way, answers, film };
            let number = self.start_application(application, &sockets, installation);
            if let (Some(number), Some(stall_after)) = (number, kind.stall_after()) {
                self.users.add(number, name, flows, stall_after, template.page.clone());
            }
        }
        let waiting = if flow.group.application.is_two_way() {
            Transfer { start: Time::MAX, stop: Time::MAX, packets: Some(0) }
        } else {
            Transfer { start: Time::MAX, stop: template.stop, packets: Some(1) }
        };
        let asked_for = installation.transfers.iter().find(|(of, _)| *of == flow.index);
        let transfer = asked_for.map_or(waiting, |(_, transfer)| *transfer);
        if let Some(config) = template.socket_config {
            let packets = transfer.packets.unwrap_or_default();
            self.sockets.add(flow.index as usize, config, transfer.start, packets);
        }
        transfer
    }

    /// Installs the application of a flow of datagrams.
    pub(super) fn install_datagrams(
        &mut self,
        scenario: &Scenario,
        flow: &UdpSpec<'_>,
        stop: Time,
        installation: &mut Installation,
    ) {
        let (start, payload) = (Time::ZERO + flow.start, flow.group.packet);
        let at = FlowIdentity { seed: scenario.seed, name: &flow.name, start, payload };
        let sockets =
            Sockets { first_flow: flow.index, flows: 1, two_way: false, answers: false, film: None };
        self.start_application(flow.group.install(&at, stop), &sockets, installation);
    }

    /// Starts an application. Keeps it if it is to be called again. Returns its number.
    fn start_application(
        &mut self,
        mut application: Box<dyn Application>,
        sockets: &Sockets<'_>,
        installation: &mut Installation,
    ) -> Option<u32> {
        let Sockets { first_flow, flows, two_way, answers, film } = *sockets;
        application.start(&mut self.actions);
        let number = self.applications.add(application, first_flow, flows, 1 + u32::from(two_way));
        if let (Some(number), true) = (number, answers) {
            self.responses.add(number, first_flow);
        }
        if let (Some(number), Some((film, start))) = (number, film) {
            self.films.add(number, first_flow, film, start);
        }
        installation.transfers.clear();
        let mut opened_at = Time::ZERO;
        for action in std::mem::take(&mut self.actions) {
            match (action, number) {
                (Action::Open { at, stop, .. }, _) if at >= stop => {}
                (Action::Open { socket, at: start, packets, stop, .. }, _) => {
                    opened_at = start;
                    installation.transfers.push((first_flow + socket, Transfer { start, stop, packets }));
                }
                (Action::Timer(time), Some(number)) => installation.timers.push((number, time)),
                (Action::Report(report), Some(number)) => self.note_report(number, report, opened_at),
                _ => unreachable!("an application only opens and waits at its start"),
            }
        }
        number
    }
}
