// What the page answers to what cannot be: names that are not there, and values out of range.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, classOf } from "../src/engine/host.js";
import { exactNumber, exactQuantity } from "../src/scenario/exact.js";
import { write } from "../src/scenario/quantity.js";
import { valueOf } from "../src/view/parameters.js";

const FACTS = { start: { record: [["initial_window", "number"]] }, ack: { record: [["may_grow", "flag"], ["rate", { optional: { record: [["rate", "number"]] } }]] }, congestion: { record: [["flight", "number"]] } };

/** What a class says whose `on_ack` has this line, with a rate of 5. */
function said(line, facts = [1, 1, 5]) {
  const host = new Host(classOf(`class Mine {\n  cwnd = 1;\n  on_ack(ack) {\n    ${line}\n  }\n  on_congestion() {}\n}`));
  host.declare(JSON.stringify(FACTS));
  const made = host.make("mine", Float64Array.of(10));
  try {
    host.ack(made, Float64Array.of(...facts));
    return host.cwnd(made);
  } catch (error) {
    return `line ${error.line}: ${error.message}`;
  }
}

test("a fact that is not there is an error with the nearest name and the line", () => {
  assert.equal(said("if (ack.may_gow) this.cwnd = 2;"), "line 4: TypeError: ack has no may_gow; did you mean may_grow?");
  assert.equal(said("this.cwnd = ack.rate.raet;"), "line 4: TypeError: ack.rate has no raet; did you mean rate?");
  assert.equal(said("this.cwnd = ack.window;"), "line 4: TypeError: ack has no window; it has may_grow, rate");
});

test("a syntax error names its line", () => {
  const lines = ["class Mine {", "  constructor(start) {", "    this.cwnd = 10;", "  }", "  on_ack(ack) { /* of", "two lines */", "    const text = `1_", "    ${ack}`;", "    this.cwnd += 1;", "  }", "  on_congestion(event) {", "    this.cwnd /= 2;", "  }", "}"];
  /** @param {number} line @param {string} text */
  const at = (line, text) => {
    const source = lines.map((known, index) => (index + 1 === line ? text : known)).join("\n");
    try {
      classOf(source);
      return "no error";
    } catch (error) {
      return `line ${error.line}: ${error.message.split(":")[0]}`;
    }
  };
  assert.equal(at(1, lines[0]), "no error");
  for (const [line, text] of [[5, "  on_ack(ack { /* of"], [9, '    this.cwnd = "open;'], [9, "    this.cwnd += ;"], [12, "    this.cwnd /= 2);"], [3, "    const = 3;"], [9, "    let 3x = 1;"]]) {
    assert.equal(at(/** @type {number} */ (line), /** @type {string} */ (text)), `line ${line}: SyntaxError`);
  }
  assert.equal(at(14, ""), "line 13: SyntaxError", "the last line that is there");
});

test("facts that are there are what they were, and can be looked at and copied", () => {
  assert.equal(said("this.cwnd = ack.rate.rate;"), 5);
  assert.equal(said("this.cwnd = ack.rate === null ? 3 : 4;", [1, 0]), 3);
  assert.equal(said("this.cwnd = Object.keys(ack).length + Object.keys({ ...ack }).length + JSON.parse(JSON.stringify(ack)).rate.rate;"), 9);
  assert.equal(said('this.cwnd = `${ack}` === "[object Object]" && !("may_gow" in ack) ? 7 : 8;'), 7);
});

test("a number out of its range is answered by the range", () => {
  const range = { min: 1, max: 40, whole: true, unit: "packets" };
  for (const text of ["abc", "-5", "1e9", "0", "2.5", "3 ms", ""]) {
    assert.equal(exactNumber(text, range).says, `found "${text}", expected a whole number from 1 to 40 packets`);
  }
  assert.deepEqual(["40", "7 packets", "1e1"].map((text) => exactNumber(text, range).value), [40, 7, 10]);
});

test("a quantity has a unit, that of the field where there is none", () => {
  const of = (text) => exactQuantity(text, "20 Mbit/s", "rate", 1e5, 1e9);
  assert.equal(of("abc").says, 'found "abc", expected a value with its unit, such as 100 kbit/s to 1 Gbit/s');
  assert.equal(of("-5 Mbit/s").says, 'found "-5 Mbit/s", expected a value with its unit, such as 100 kbit/s to 1 Gbit/s');
  assert.deepEqual([of("5").value, of("2 Gbit/s").value], ["5 Mbit/s", "2 Gbit/s"]);
  assert.equal(write(1, "packets"), "1 packet");
});

test("a choice among names is the place of its name, and a number is itself", () => {
  const choice = { name: "isolation", unit: "", default: 1, min: 0, max: 2, meaning: "", names: ["flowblind", "hosts", "flows"] };
  assert.deepEqual(["flows", "0", undefined].map((text) => valueOf(text, choice, 0)), [2, 0, 1]);
  assert.deepEqual(["7", undefined].map((text) => valueOf(text, { ...choice, names: [], default: null }, 4)), [7, 4]);
});
