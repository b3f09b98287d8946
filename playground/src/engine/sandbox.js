// The simulator's thread where code of others may run: no origin of its own, no storage, and no network.
//
// A worker begins in a frame of an opaque origin. Both have the frame's policy, which allows no connection; so what the worker needs
// is fetched by the page, and handed over.

/** Begins the worker from what the page hands over; its port leads to the page. Its hash stands in the pages' policies. */
export const BOOTSTRAP = `addEventListener("message",({data,ports})=>{const url=URL.createObjectURL(new Blob([data.worker],{type:"text/javascript"}));const worker=new Worker(url);worker.onerror=(event)=>parent.postMessage(event.message??"no worker","*");worker.postMessage(data,[...ports,data.wasm])})`;

/** Code is evaluated here, and nothing is fetched. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:";

const PAGE = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${BOOTSTRAP}</script>`;

/** @param {string} name @returns {Promise<Response>} */
async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer;
}

/** @type {Promise<{ worker: string, engine: string, wasm: ArrayBuffer }> | null} */
let parts = null;

/** The texts of the worker and of the engine, and the engine's module. */
async function load() {
  const [worker, engine, wasm] = await Promise.all(["./worker.js", "../../engine/engine.js", "../../engine/engine_bg.wasm"].map(fetched));
  return { worker: await worker.text(), engine: await engine.text(), wasm: await wasm.arrayBuffer() };
}

/** A worker of its own, as `Worker` is one: `postMessage`, `onmessage`, `onerror` and `terminate`. */
export class Sandbox {
  constructor() {
    /** @type {(event: MessageEvent) => void} */
    this.onmessage = () => {};
    /** @type {(message: string) => void} */
    this.onerror = () => {};
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.port.onmessage = (event) => this.onmessage(event);
    this.frame = document.createElement("iframe");
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.hidden = true;
    this.frame.srcdoc = PAGE;
    this.heard = this.heard.bind(this);
    addEventListener("message", this.heard);
    const loaded = new Promise((resolve) => this.frame.addEventListener("load", resolve, { once: true }));
    document.body.append(this.frame);
    void this.begin(loaded, port2);
  }

  /** @param {Promise<unknown>} loaded @param {MessagePort} port */
  async begin(loaded, port) {
    try {
      const [{ worker, engine, wasm }] = await Promise.all([(parts ??= load()), loaded]);
      const copy = wasm.slice(0);
      this.frame.contentWindow?.postMessage({ worker, engine, wasm: copy }, "*", [port, copy]);
    } catch (error) {
      parts = null;
      this.onerror(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {MessageEvent} event */
  heard(event) {
    if (event.source === this.frame.contentWindow && event.source !== null) this.onerror(String(event.data));
  }

  /** @param {unknown} message */
  postMessage(message) {
    this.port.postMessage(message);
  }

  /** Ends the worker whatever it does. */
  terminate() {
    removeEventListener("message", this.heard);
    this.port.close();
    this.frame.remove();
  }
}
