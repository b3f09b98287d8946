//! The records of requests and responses: the times of each exchange over a connection.

use ackclock_application::Report;
use ackclock_units::Time;

use crate::tables::table::{Column, Table};

/// One request and its response.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    flow: u32,
    /// The time at which the client wrote the request.
    requested: Time,
    request_packets: u64,
    response_packets: u64,
    /// The time at which the server had the whole request.
    received: Option<Time>,
    /// The times at which the first and the last packet of the response arrived at the client.
    first: Option<Time>,
    last: Option<Time>,
}

/// The records of all clients.
#[derive(Default)]
pub(crate) struct ResponseRecords {
    rows_wanted: bool,
    /// By application: the flow of a client, and its exchange under way. The list ends with the last application
    /// that is a client.
    clients: Vec<Option<(u32, Option<Exchange>)>>,
    rows: Vec<Exchange>,
}

impl ResponseRecords {
    /// No clients yet; each exchange gets a row if `rows_wanted`.
    pub fn new(rows_wanted: bool) -> ResponseRecords {
        ResponseRecords { rows_wanted, ..ResponseRecords::default() }
    }

    /// Adds an application that is a client.
    pub fn add(&mut self, application: u32, flow: u32) {
        self.clients.resize(application as usize, None);
        self.clients.push(Some((flow, None)));
    }

    /// Records a report of an application.
    pub fn note(&mut self, application: u32, report: Report, now: Time) {
        let Some(Some((flow, under_way))) = self.clients.get_mut(application as usize) else { return };
        if let Report::Requested { request, response } = report {
            *under_way = Some(Exchange {
                flow: *flow,
                requested: now,
                request_packets: request,
                response_packets: response,
                received: None,
                first: None,
                last: None,
            });
            return;
        }
        let Some(exchange) = under_way else { return };
        match report {
            Report::RequestReceived => exchange.received = Some(now),
            Report::ResponseBegun => exchange.first = Some(now),
            Report::ResponseReceived => {
                exchange.last = Some(now);
                let row = *exchange;
                *under_way = None;
                self.rows.extend(self.rows_wanted.then_some(row));
            }
            _ => {}
        }
    }

    /// The table `responses`: a row for each request, in the order in which the responses ended, then those under way at
    /// `end`. A client that starts later has no row yet.
    pub fn table(&self, end: Time) -> Table {
        let under_way = self.clients.iter().flatten().filter_map(|(_, exchange)| exchange.as_ref());
        let under_way = under_way.filter(|exchange| self.rows_wanted && exchange.requested <= end);
        let rows: Vec<&Exchange> = self.rows.iter().chain(under_way).collect();
        let count = |get: &dyn Fn(&Exchange) -> u64| Column::Count(rows.iter().map(|row| get(row)).collect());
        let time = |get: &dyn Fn(&Exchange) -> Option<Time>| {
            let seconds = |row: &&Exchange| get(row).map_or(f64::NAN, Time::as_secs_f64);
            Column::Real(rows.iter().map(seconds).collect())
        };
        Table::default()
            .with("flow", Column::Index(rows.iter().map(|row| row.flow).collect()))
            .with("request_s", time(&|row| Some(row.requested)))
            .with("request_packets", count(&|row| row.request_packets))
            .with("response_packets", count(&|row| row.response_packets))
            .with("request_received_s", time(&|row| row.received))
            .with("first_packet_s", time(&|row| row.first))
            .with("finish_s", time(&|row| row.last))
    }
}
