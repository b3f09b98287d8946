// Takes the picture of README.md once `make playground` has built the pages: `node playground/tests/picture.mjs`.
import { fileURLToPath } from "node:url";
import { runs, stage } from "./stage.js";

const PICTURE = fileURLToPath(new URL("../../published/figures/playground.webp", import.meta.url));

const here = await stage();
const { page } = await here.page({ width: 1280, height: 1010 });
await page.setViewport({ width: 1280, height: 1010, deviceScaleFactor: 1.25 });
await page.goto(here.address());
await runs(page);
// The last chart is drawn in a later frame than the first.
await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
await page.screenshot({ path: PICTURE, type: "webp", quality: 60 });
await here.close();
