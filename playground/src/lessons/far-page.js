/** @type {import("./lesson.js").Lesson} */
export const farPage = {
  key: "far-page",
  title: "Why a page is slow on a fast link",
  text: [
    "A reader opens the median page for mobiles (51 objects, 1.7 MB) over a link of 10 Mbit/s. The server is far away: a round trip takes 200 ms. The chart has a line for each object, in the colour of its connection.",
    "The bytes alone would take 1.4 s. But a browser finds an object only when what mentions it has arrived, a connection begins with two round trips of handshakes, and slow start doubles its window once per round trip.",
  ],
  question: "Load the page within 2 s.",
  hint: "Try the rate first, up to a hundred times as much. What is the browser waiting for?",
  answer: "At 1 Gbit/s the page still takes 3.2 s over HTTP/1.1 and 2.4 s over HTTP/2: it waits for round trips, not for bytes. With 80 ms instead of 200 ms HTTP/2 has it in 1.9 s at 10 Mbit/s. This is why servers are put near their readers. HTTP/1.1 takes longer by handshakes of six connections and by objects that wait for a free one.",
  source: "HTTP Archive, Web Almanac 2024; RFC 9112, RFC 9113, RFC 9218; docs/pages",
  tree: {
    name: "far-page", title: "A page from far away", duration: "12 s",
    topology: { graph: { link: [{ from: "server", to: "reader", rate: "10 Mbit/s", delay: "100 ms", buffer: "200 ms" }] } },
    tcp: { algorithm: "rack+cubic" },
    flow: [{ name: "reader", from: "reader", to: "server", page: "median-mobile", http: "1.1" }],
    trace: { interval: "50 ms" },
  },
  controls: [
    { path: "topology.graph.link.0.rate", label: "Rate", writes: "{} Mbit/s", min: 2, max: 1000, log: true },
    { path: "topology.graph.link.0.delay", label: "Delay, one way", writes: "{} ms", min: 2, max: 150, whole: true },
    { path: "flow.0.http", label: "HTTP", writes: "", choices: [["1.1", "1.1, six connections"], ["2", "2, one connection"], ["3", "3, over QUIC"]] },
  ],
  charts: ["waterfall", "goodput", "queue"],
  tables: ["pages"],
  check({ tables: { pages } }) {
    const load = pages.finish_s[0] - pages.start_s[0];
    const says = Number.isFinite(load) ? `The page takes ${load.toFixed(1)} s.` : "The page is not there after 12 s.";
    return { done: load < 2, says };
  },
  solution: { "topology.graph.link.0.rate": 10, "topology.graph.link.0.delay": 40, "flow.0.http": "2" },
};
