// A controller whose window a policy sets once in a smoothed round-trip time, at an acknowledgment; for the playground.
const ACTIVATIONS = { identity: (value) => value, relu: (value) => Math.max(value, 0), tanh: Math.tanh };
const POLICY = {};
const LARGEST_WINDOW_PACKETS = 10_000;
const SEGMENT_BYTES = 1460;

class Learnt {
  constructor(start) {
    this.cwnd = start.initial_window;
    this.restart = start.restart_window;
    this.most = this.excess = 0;
    this.segment_bytes = SEGMENT_BYTES;
    this.begun = this.ends = this.rtt_last = 0;
    this.begin();
  }

  begin() {
    this.delivered = this.lost = this.rtt_sum = this.rtt_count = this.signals = this.timeouts = 0;
  }

  on_ack(ack) {
    this.delivered += ack.delivered;
    this.lost += ack.lost;
    if (ack.rtt !== null) {
      this.rtt_sum += ack.rtt;
      this.rtt_count += 1;
      this.rtt_last = ack.rtt;
    }
    if (this.ends === 0) {
      // As in the environment, the first step ends a round trip after the first measurement.
      this.ends = ack.srtt > 0 ? ack.now + ack.srtt : 0;
    } else if (ack.now >= this.ends) {
      const known = this.observations(ack);
      const action = this.act(POLICY.observe.map((name) => known[name]));
      const asked = this.cwnd * 2 ** Math.min(Math.max(action, -1), 1);
      this.cwnd = Math.min(Math.max(asked, 1), LARGEST_WINDOW_PACKETS);
      this.begin();
      this.excess = Math.max(asked - LARGEST_WINDOW_PACKETS, 0);
      this.begun = ack.now;
      this.ends = ack.now + ack.srtt;
    }
  }

  on_congestion(event) {
    this.signals += 1;
    if (event.signal === "timeout") this.timeouts += 1;
    if (event.restart) this.cwnd = this.restart;
  }

  on_idle_restart(window) {
    this.cwnd = Math.min(this.cwnd, window);
  }

  on_not_validated(window) {
    this.cwnd = Math.min(this.cwnd, window);
  }

  on_segment_size(from, to) {
    this.cwnd *= from / to;
    this.segment_bytes = to;
  }

  observations(ack) {
    const duration = ack.now - this.begun;
    const goodput = duration > 0 ? this.delivered / duration : 0;
    this.most = Math.max(this.most, goodput);
    const mean = this.rtt_count > 0 ? this.rtt_sum / this.rtt_count : ack.srtt;
    const counted = this.delivered + this.lost;
    return {
      duration_s: duration,
      delivered_packets: this.delivered,
      lost_packets: this.lost,
      loss_share: counted > 0 ? this.lost / counted : 0,
      goodput_packets_per_s: goodput,
      goodput_bit_per_s: goodput * this.segment_bytes * 8,
      goodput_share: this.most > 0 ? goodput / this.most : 0,
      rtt_mean_s: mean,
      rtt_last_s: this.rtt_last,
      rtt_min_s: ack.min_rtt,
      srtt_s: ack.srtt,
      rtt_share: ack.min_rtt > 0 ? mean / ack.min_rtt : 0,
      queueing_s: Math.max(mean - ack.min_rtt, 0),
      in_flight_packets: ack.in_flight,
      may_grow: Number(ack.may_grow),
      cwnd_packets: this.cwnd,
      congestion_signals: this.signals,
      timeouts: this.timeouts,
      segment_bytes: this.segment_bytes,
      most_goodput_packets_per_s: this.most,
      window_excess_packets: this.excess,
    };
  }

  act(observed) {
    let values = observed;
    for (const { weights, bias, activation } of POLICY.layers) {
      const inputs = values;
      const sum = (row) => row.reduce((total, weight, index) => total + weight * inputs[index], 0);
      values = weights.map((row, index) => ACTIVATIONS[activation](sum(row) + bias[index]));
    }
    return values[0];
  }
}
