//! One case in a bare loop: windows and links, and nothing that a simulator is used for. `python -m benches` runs it as the
//! measure that others are a share of, on whatever machine. It is no bound: where links are many, it waits for memory too.
//!
//!   bare_loop shared|dumbbell FLOWS RATE_BIT_PER_S DELAY_S ACCESS_RATE_BIT_PER_S ACCESS_DELAY_S LIMIT_PACKETS SECONDS
//!
//! It has no retransmissions, receivers, timers, round-trip times, statistics or choice of algorithm: a flow adds a packet
//! to its window per round trip and halves it once per round trip with losses. A packet that finds the queue full travels on
//! as a notice of its loss, which takes no capacity. Each direction of a link keeps its packets in order of arrival at the
//! far end, and a heap of four keys per node orders the links by their first packets.

use std::collections::VecDeque;

const PACKET_BITS: f64 = 1500.0 * 8.0;
const ACK_BITS: f64 = 40.0 * 8.0;

/// The links that all flows share have the numbers below this one.
const SHARED: u32 = 2;

#[derive(Clone, Copy)]
struct Packet {
    flow: u32,
    sequence: u32,
    hop: u8,
    lost: bool,
}

struct Link {
    packet_ns: u64,
    ack_ns: u64,
    delay_ns: u64,
    /// The time a full queue takes to transmit; packets that would wait longer are lost.
    limit_ns: u64,
    free_at: u64,
    on_the_way: VecDeque<(u64, Packet)>,
}

struct Flow {
    cwnd: f64,
    ssthresh: f64,
    in_flight: u32,
    next: u32,
    /// A loss of a packet before this one belongs to the reduction that was made.
    reduced_until: u32,
    delivered: u64,
    /// Links there and back, in order.
    path: Vec<u32>,
}

struct Loop {
    links: Vec<Link>,
    flows: Vec<Flow>,
    /// Links by the arrival time of their first packets: a heap of four children per node.
    heap: Vec<(u64, u32)>,
    now: u64,
    events: u64,
}

impl Link {
    fn new(rate: f64, delay_s: f64, limit: f64) -> Link {
        let ns = |bits: f64| (bits / rate * 1e9).round() as u64;
        Link {
            packet_ns: ns(PACKET_BITS),
            ack_ns: ns(ACK_BITS),
            delay_ns: (delay_s * 1e9).round() as u64,
            limit_ns: (limit * PACKET_BITS / rate * 1e9).min(1e18) as u64,
            free_at: 0,
            on_the_way: VecDeque::new(),
        }
    }
}

impl Loop {
    /// Sends a packet over the next link, and over the links of its flow alone behind that: who shares no link with others
    /// is not overtaken, so the arrival at the far end is known at once.
    fn transmit(&mut self, mut packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        let mut arrives = self.now;
        loop {
            let link_index = flow.path[packet.hop as usize];
            let link = &mut self.links[link_index as usize];
            let is_ack = packet.hop as usize >= flow.path.len() / 2;
            let starts = link.free_at.max(arrives);
            packet.lost |= !is_ack && starts - arrives > link.limit_ns;
            link.free_at = starts
                + match (packet.lost, is_ack) {
                    (true, _) => 0,
                    (_, true) => link.ack_ns,
                    _ => link.packet_ns,
                };
            arrives = link.free_at + link.delay_ns;
            packet.hop += 1;
            let over = packet.hop as usize == flow.path.len();
            if over || flow.path[packet.hop as usize] < SHARED {
                link.on_the_way.push_back((arrives, packet));
                if link.on_the_way.len() == 1 {
                    self.heap.push((arrives, link_index));
                    self.up(self.heap.len() - 1);
                }
                return;
            }
        }
    }

    fn up(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let above = (at - 1) / 4;
            if self.heap[above] <= entry {
                break;
            }
            self.heap[at] = self.heap[above];
            at = above;
        }
        self.heap[at] = entry;
    }

    fn down(&mut self, mut at: usize) {
        let entry = self.heap[at];
        loop {
            let children = 4 * at + 1..(4 * at + 5).min(self.heap.len());
            let Some(least) = children.min_by_key(|child| self.heap[*child]) else { break };
            if self.heap[least] >= entry {
                break;
            }
            self.heap[at] = self.heap[least];
            at = least;
        }
        self.heap[at] = entry;
    }

    /// Takes the next arrival, where there is one before `end`.
    fn step(&mut self, end: u64) -> bool {
        let Some(&(time, link)) = self.heap.first() else { return false };
        if time > end {
            return false;
        }
        self.now = time;
        self.events += 1;
        let on_the_way = &mut self.links[link as usize].on_the_way;
        let (_, packet) = on_the_way.pop_front().expect("a link in the heap has packets");
        match on_the_way.front() {
            Some(&(next, _)) => self.heap[0] = (next, link),
            None => {
                self.heap.swap_remove(0);
            }
        }
        if !self.heap.is_empty() {
            self.down(0);
        }
        if (packet.hop as usize) < self.flows[packet.flow as usize].path.len() {
            self.transmit(packet);
        } else {
            self.acknowledged(packet);
        }
        true
    }

    fn acknowledged(&mut self, packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        flow.in_flight -= 1;
        if !packet.lost {
            flow.delivered += 1;
            flow.cwnd += if flow.cwnd < flow.ssthresh { 1.0 } else { 1.0 / flow.cwnd };
        } else if packet.sequence >= flow.reduced_until {
            flow.cwnd = (flow.cwnd / 2.0).max(2.0);
            flow.ssthresh = flow.cwnd;
            flow.reduced_until = flow.next;
        }
        self.send(packet.flow);
    }

    fn send(&mut self, flow: u32) {
        while f64::from(self.flows[flow as usize].in_flight + 1) <= self.flows[flow as usize].cwnd {
            let sender = &mut self.flows[flow as usize];
            let sequence = sender.next;
            sender.next += 1;
            sender.in_flight += 1;
            self.transmit(Packet { flow, sequence, hop: 0, lost: false });
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments[index].parse::<f64>().expect("a number");
    let dumbbell = arguments[0] == "dumbbell";
    let (rate, delay, access_rate, access_delay) = (number(2), number(3), number(4), number(5));
    let mut state = Loop { links: Vec::new(), flows: Vec::new(), heap: Vec::new(), now: 0, events: 0 };
    state.links.push(Link::new(rate, delay, number(6)));
    state.links.push(Link::new(rate, delay, f64::INFINITY));
    for flow in 0..number(1) as u32 {
        let mut path = vec![0, 1];
        if dumbbell {
            let first = state.links.len() as u32;
            state.links.extend((0..4).map(|_| Link::new(access_rate, access_delay, f64::INFINITY)));
            path = vec![first, 0, first + 1, first + 2, 1, first + 3];
        }
        let (cwnd, ssthresh) = (10.0, f64::INFINITY);
        let (in_flight, next, reduced_until, delivered) = (0, 0, 0, 0);
        state.flows.push(Flow { cwnd, ssthresh, in_flight, next, reduced_until, delivered, path });
        state.now = (f64::from(flow) / number(1) * 1e9) as u64;
        state.send(flow);
    }
    let end = (number(7) * 1e9) as u64;
    while state.step(end) {}
    let packets: u64 = state.flows.iter().map(|flow| flow.delivered).sum();
    println!("{{\"packets\": {packets}, \"events\": {}, \"set_up_cpu_s\": null}}", state.events);
}
