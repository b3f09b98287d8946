//! Tests of the network from outside: by hand, against theory, and against slower models.

mod cake;
mod circuit_breakers;
mod common;
mod conservation;
mod cut_through;
mod disciplines;
mod event_list;
mod extension;
mod feedback;
mod l4s;
mod links;
mod loss;
mod marks;
mod paths;
mod queueing_theory;
mod routing;
mod senders;
mod sharing;
mod thinning;
mod tunnels;
mod waiting;
