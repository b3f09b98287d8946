/** @type {import("./lesson.js").Lesson} */
export const stoppedFilm = {
  key: "stopped-film",
  title: "Why your film stopped",
  text: [
    "A viewer watches a film in segments of 4 s over a link of 6 Mbit/s. From the 60th to the 100th second the link has only 700 kbit/s left, less than all but the lowest of the film's six qualities.",
    "The player fetches one segment after the other and chooses the quality of each. What it has fetched plays on while the link is slow, as long as the buffer holds something.",
  ],
  question: "Keep the film from stopping, at a mean quality of at least 3.1 Mbit/s.",
  hint: "How much film must be in the buffer at the 60th second? And who notices first that the link has changed: a mean of the last rates, or the buffer?",
  answer: "A player that follows the measured rate asks for a segment of 4.3 Mbit/s when the link falls, and waits for it: the film stops for 3.8 s at least, whatever the buffer. BBA and BOLA look at the buffer, and go down while it drains: with 30 s the film plays on. With 60 s they have 2.9 to 3.4 Mbit/s; MPC, which plans with both, has most.",
  source: "Huang et al. 2014; Spiteri et al. 2016; Yin et al. 2015; docs/films",
  tree: {
    name: "stopped-film", title: "A film over a link that falters", duration: "180 s",
    topology: { graph: { link: [{ from: "server", to: "viewer", rate: { steps: [["0 s", "6 Mbit/s"], ["60 s", "700 kbit/s"], ["100 s", "6 Mbit/s"]] }, delay: "20 ms", buffer: "100 packets" }] } },
    tcp: { algorithm: "rack+cubic" },
    flow: [{ name: "film", from: "server", to: "viewer", film: { adaptation: "rate", buffer: "20 s" } }],
    trace: { interval: "500 ms" },
  },
  controls: [
    { path: "flow.0.film.adaptation", label: "Adaptation", writes: "", choices: [["rate", "by the rate"], ["bba-0", "BBA, by the buffer"], ["bola", "BOLA, by the buffer"], ["robust-mpc", "MPC, a plan"]] },
    { path: "flow.0.film.buffer", label: "Buffer of the player", writes: "{} s", min: 8, max: 60, whole: true },
  ],
  charts: ["quality", "buffer", "goodput"],
  tables: ["films"],
  check({ tables: { films } }) {
    const [stopped, rate] = [films.stall_s[0], films.rate_bit_per_s[0] / 1e6];
    const stops = Number(films.stalls[0]) === 0 ? "The film never stops" : `The film stands still for ${stopped.toFixed(1)} s`;
    // What is shown decides, with its one decimal.
    return { done: stopped === 0 && Math.round(rate * 10) >= 31, says: `${stops}, at ${rate.toFixed(1)} Mbit/s in the mean.` };
  },
  solution: { "flow.0.film.adaptation": "robust-mpc", "flow.0.film.buffer": 60 },
};
