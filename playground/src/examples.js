// Algorithms to begin with, in JavaScript and Python. Names are those of Python's classes: docs/your-own-congestion-control.md holds for both.

/** @type {Record<string, { title: string, source: string }>} */
export const EXAMPLES = {
  gentle: {
    title: "Gentle: Reno's growth, an eighth less after a loss",
    source: `// Grows as standard TCP does; a loss takes an eighth of the window, not half.
class Gentle {
  constructor(start) {
    this.cwnd = start.initial_window; // packets
    this.ssthresh = start.initial_ssthresh;
  }
  on_ack(ack) {
    if (!ack.may_grow) return;
    const counted = Math.min(ack.delivered, 1);
    this.cwnd += this.cwnd < this.ssthresh ? counted : counted / this.cwnd;
  }
  on_congestion(event) {
    this.ssthresh = Math.max((Math.min(event.flight, this.cwnd) * 7) / 8, 2);
    this.cwnd = event.restart ? 1 : this.ssthresh;
  }
}
`,
  },
  python: {
    title: "Gentle, in Python (loads an interpreter of 13 MB)",
    source: `# Grows as standard TCP does; a loss takes an eighth of the window, not half.
class Gentle:
    def __init__(self, start):
        self.cwnd = start.initial_window  # packets
        self.ssthresh = start.initial_ssthresh

    def on_ack(self, ack):
        if not ack.may_grow:
            return
        counted = min(ack.delivered, 1)
        self.cwnd += counted if self.cwnd < self.ssthresh else counted / self.cwnd

    def on_congestion(self, event):
        self.ssthresh = max(min(event.flight, self.cwnd) * 7 / 8, 2)
        self.cwnd = 1 if event.restart else self.ssthresh
`,
  },
  reno: {
    title: "Reno (RFC 5681)",
    source: `// RFC 5681: one packet per acknowledgment in slow start, one per round trip above; half after a loss.
class Reno {
  constructor(start) {
    this.cwnd = start.initial_window;
    this.ssthresh = start.initial_ssthresh;
  }
  on_ack(ack) {
    if (!ack.may_grow) return;
    const counted = Math.min(ack.delivered, 1);
    this.cwnd += this.cwnd < this.ssthresh ? counted : counted / this.cwnd;
  }
  on_congestion(event) {
    this.ssthresh = Math.max(event.flight / 2, 2);
    this.cwnd = event.restart ? 1 : this.ssthresh;
  }
}
`,
  },
  delay: {
    title: "Keep four packets in the queue, by delay",
    source: `// A sender by delay: of its window, about four packets shall wait in the queue.
class FourInTheQueue {
  constructor(start) {
    this.cwnd = start.initial_window;
    this.ssthresh = start.initial_ssthresh;
    this.round = 0;
  }
  on_ack(ack) {
    if (!ack.may_grow || ack.rtt === null || ack.min_rtt === 0) return;
    const waiting = this.cwnd * (1 - ack.min_rtt / ack.rtt);
    if (this.cwnd < this.ssthresh) {
      if (waiting < 4) this.cwnd += Math.min(ack.delivered, 1);
      else this.ssthresh = this.cwnd;
    } else if (ack.round > this.round) {
      this.round = ack.round; // once per round trip
      this.cwnd = Math.max(2, this.cwnd + Math.max(-2, Math.min(1, 4 - waiting)));
    }
  }
  on_congestion(event) {
    this.ssthresh = Math.max(event.flight / 2, 2);
    this.cwnd = event.restart ? 1 : this.ssthresh;
  }
}
`,
  },
  paced: {
    title: "Send at the measured rate (pacing)",
    source: `// A model of the path: the highest delivery rate of the last ten round trips, and the shortest round trip.
class Model {
  constructor(start) {
    this.cwnd = start.initial_window;
    this.rates = [];
    this.round = 0;
    this.pacing_rate = null; // packets per second; none yet
  }
  on_ack(ack) {
    if (!ack.rate || ack.min_rtt === 0) return;
    if (ack.round > this.round || !this.rates.length) {
      this.round = ack.round;
      this.rates.push(0);
      if (this.rates.length > 10) this.rates.shift();
    }
    const last = this.rates.length - 1;
    this.rates[last] = Math.max(this.rates[last], ack.rate.rate);
    const highest = Math.max(...this.rates);
    const probing = ack.round % 8 === 0 ? 1.25 : ack.round % 8 === 1 ? 0.75 : 1;
    this.pacing_rate = Math.max(highest * (ack.round < 8 ? 2.8 : probing), 1);
    this.cwnd = Math.max(4, 2 * highest * ack.min_rtt);
  }
  on_congestion(event) {
    if (event.restart) this.cwnd = 4;
  }
}
`,
  },
};
