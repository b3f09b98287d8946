// How long an algorithm of the page may say nothing, in node: the worker is one that the test speaks for.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

globalThis.PYODIDE = { version: "", files: {} };
const { Engine } = await import("../src/engine/engine.js");

class Spoken extends Engine {
  ended = 0;
  /** The numbers of the questions that each worker was asked. */
  asked = this.asked;
  begin() {
    const numbers = [];
    (this.asked ??= []).push(numbers);
    return { postMessage: ({ id }) => numbers.push(id), terminate: () => (this.ended += 1) };
  }
}

/** An engine whose clock goes on by `step` milliseconds with each tick, and the ticks. */
function watched(step = 100) {
  mock.timers.enable({ apis: ["setInterval"] });
  let clock = 0;
  const real = performance.now;
  performance.now = () => clock;
  const engine = new Spoken();
  return {
    engine,
    run: () => engine.run({}, { source: "class Mine {}" }).then(() => "done", (error) => error.kind ?? error.constructor.name),
    tick(number) {
      for (let at = 0; at < number; at += 1) {
        clock += step;
        mock.timers.tick(100);
      }
    },
    end() {
      mock.timers.reset();
      performance.now = real;
    },
  };
}

test("eight seconds without a word are a loop without an end", async () => {
  const { engine, run, tick, end } = watched();
  const said = run();
  engine.heard({ id: 1, kind: "begun" });
  tick(79);
  assert.equal(engine.ended, 0);
  engine.heard({ id: 1, kind: "progress", now: 1, end: 2 });
  tick(79);
  assert.equal(engine.ended, 0, "progress begins them anew");
  tick(1);
  assert.equal(await said, "endless");
  assert.equal(engine.ended, 1);
  end();
});

test("a run that gave way to another ends nothing later", async () => {
  const { engine, run, tick, end } = watched();
  const first = run();
  engine.heard({ id: 1, kind: "begun" });
  const second = run();
  engine.heard({ id: 2, kind: "begun" });
  engine.heard({ id: 1, kind: "superseded" });
  engine.heard({ id: 2, kind: "done" });
  assert.deepEqual([await first, await second], ["Superseded", "done"]);
  tick(1000);
  assert.equal(engine.ended, 0);
  end();
});

test("a run that says nothing ends in half a second for a later one, which a new worker is asked", async () => {
  const { engine, run, tick, end } = watched();
  const first = run();
  engine.heard({ id: 1, kind: "begun" });
  tick(20);
  const read = engine.read("", "toml");
  const second = run();
  tick(1);
  assert.equal(await first, "Superseded");
  assert.equal(engine.ended, 1);
  assert.deepEqual(engine.asked.at(-1), [2, 3], "what the worker had not begun is asked again");
  engine.heard({ id: 2, kind: "done" });
  await read;
  engine.heard({ id: 3, kind: "begun" });
  tick(4);
  const third = run();
  engine.heard({ id: 3, kind: "progress", now: 1, end: 2 });
  tick(4);
  assert.equal(engine.ended, 1, "one that goes on gives way by itself");
  engine.heard({ id: 3, kind: "superseded" });
  engine.heard({ id: 4, kind: "done" });
  assert.deepEqual([await second, await third], ["Superseded", "done"]);
  end();
});

test("what is stopped is the runs: other questions are asked again", async () => {
  const { engine, run, end } = watched();
  const stopped = run();
  const read = engine.read("", "toml");
  engine.cancel();
  assert.equal(await stopped, "Superseded");
  assert.deepEqual(engine.asked.at(-1), [2]);
  engine.heard({ id: 2, kind: "done" });
  await read;
  end();
});

test("an answer to something else leaves a run watched", async () => {
  const { engine, run, tick, end } = watched();
  const said = run();
  engine.heard({ id: 1, kind: "begun" });
  const read = engine.read("", "toml");
  engine.heard({ id: 2, kind: "done" });
  await read;
  tick(80);
  assert.equal(await said, "endless");
  end();
});

test("a worker that has not begun is not watched, nor one whose machine lets the page itself wait", () => {
  const { engine, run, tick, end } = watched(1000);
  void run();
  tick(1000);
  assert.equal(engine.ended, 0);
  engine.heard({ id: 1, kind: "begun" });
  tick(1000);
  assert.equal(engine.ended, 0);
  end();
});
