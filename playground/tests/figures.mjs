// What a reader waits for, in a real browser: `node figures.mjs RUNS` prints JSON. Milliseconds of the page's own clock.
import { runs, stage } from "./stage.js";

const RUNS = Number(process.argv[2] ?? 5);
const here = await stage();

/** From the navigation to the first picture, with nothing kept from before. */
async function firstPicture() {
  const { page, close } = await here.alone();
  await page.goto(here.address());
  await runs(page);
  const milliseconds = await page.evaluate(() => performance.now());
  await close();
  return milliseconds;
}

/**
 * From the movement of a slider to the frame with the new picture, 30 s of two flows at 20 Mbit/s.
 * @param {import("puppeteer-core").Page} page @param {number} at
 */
function redraw(page, at) {
  return page.evaluate(async (value) => {
    const count = () => Number(document.documentElement.dataset.runs);
    const slider = document.getElementById("topology.dumbbell.bottleneck.buffer");
    const [before, began] = [count(), performance.now()];
    slider.value = String(value);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (count() === before) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  }, at);
}

/** @param {number[]} values */
const sorted = (values) => values.toSorted((one, other) => one - other);

const pictures = [];
for (let run = 0; run < RUNS; run += 1) pictures.push(await firstPicture());
const { page } = await here.page();
await page.goto(here.address());
await runs(page);
const redraws = [];
for (let run = 0; run < 10 * RUNS; run += 1) redraws.push(await redraw(page, 450 + 5 * (run % 10)));
const { version } = await page.evaluate(async () => ({ version: navigator.userAgent.match(/Chrome\/([\d.]+)/)?.[1] }));
await here.close();
// The first runs are those in which the module is compiled.
const warm = sorted(redraws.slice(10));
console.log(JSON.stringify({
  chromium: version,
  first_picture_ms: sorted(pictures),
  redraw_ms: { median: warm[Math.floor(warm.length / 2)], ninth_of_ten: warm[Math.floor(warm.length * 0.9)], first: redraws[0] },
}));
