// Drives Chromium by its devtools protocol over a pipe, and serves files to it. For tests only.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the path of Chromium; null if it is not installed. */
export function chromium() {
  for (const path of [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"]) {
    if (path === undefined) continue;
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Try the next one.
    }
  }
  return null;
}

/** Serves texts by path on a free port of this machine. */
export async function serve(files) {
  const server = createServer((request, response) => {
    const file = files[new URL(request.url, "http://localhost").pathname];
    if (file === undefined) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": file.type, "Content-Security-Policy": "default-src 'self'" });
    response.end(file.path === undefined ? file.text : readFileSync(file.path));
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** A running browser. */
export class Browser {
  static running = new Set();

  /** Kills the browsers that a failed test left running: they would keep the run alive. */
  static async killAll() { await Promise.all([...Browser.running].map((browser) => browser.kill())); }

  static async start(path, profile = mkdtempSync(join(tmpdir(), "tidemark-chromium-")), words = []) {
    const child = spawn(path, [
      ...words,
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
      // Chromium slows down background tabs, which would delay tests.
      "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
      `--user-data-dir=${profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
    const browser = new Browser(child, profile);
    Browser.running.add(browser);
    await browser.send("Browser.getVersion");
    return browser;
  }

  constructor(child, profile) {
    this.child = child;
    this.profile = profile;
    this.lastId = 0;
    this.waiting = new Map();
    /** The callers that wait for an event, one entry for each. */
    this.listeners = new Set();
    this.isEnded = false;
    this.rest = "";
    child.stdio[4].setEncoding("utf8");
    child.stdio[4].on("data", (text) => {
      const parts = (this.rest + text).split("\0");
      this.rest = parts.pop();
      for (const part of parts) this.take(JSON.parse(part));
    });
    child.stdio[3].on("error", () => undefined);
    this.ended = new Promise((resolve) => { child.on("exit", resolve); }).then(() => this.killRest());
    this.ended.then(() => {
      Browser.running.delete(this);
      this.isEnded = true; for (const { reject } of this.waiting.values()) reject(new Error("the browser has ended"));
    });
  }

  take(message) {
    for (const listener of this.listeners) listener(message);
    const waiting = this.waiting.get(message.id);
    if (waiting === undefined) return;
    this.waiting.delete(message.id);
    if (message.error !== undefined) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  /** Resolves with the params of the next event with a name that matches; rejects if none arrives in time. */
  event(method, isWanted, patience = 30_000) {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.listeners.delete(listener);
        clearTimeout(timer);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`no ${method} came in ${patience} ms`));
      }, patience);
      const listener = (message) => {
        if (message.method !== method || !isWanted(message.params)) return;
        end();
        resolve(message.params);
      };
      this.listeners.add(listener);
    });
  }

  send(method, params = {}, sessionId = undefined) {
    if (this.isEnded) return Promise.reject(new Error("the browser has ended"));
    this.lastId += 1;
    const id = this.lastId;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => { this.waiting.set(id, { resolve, reject }); });
  }

  /** Opens a page, waits for its `ready`, and returns a function that runs an expression in it. */
  async page(url, browserContextId = undefined, isReady = "typeof globalThis.ready") {
    const { targetId } = await this.send("Target.createTarget", { url, browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const run = async (expression) => {
      const { result, exceptionDetails } = await this.send(
        "Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, sessionId);
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    while (await run(isReady) === "undefined") await new Promise((resolve) => { setTimeout(resolve, 20); });
    return {
      run, close: () => this.send("Target.closeTarget", { targetId }), send: (method, params) => this.send(method, params, sessionId),
      // Crashing the page kills it: none of its code runs any more, and there is no response.
      crash: () => { this.send("Page.crash", {}, sessionId).catch(() => undefined); },
    };
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** Kills the browser's process group: processes that outlive the browser would still write to the profile. */
  async killRest() {
    // Ended processes that nobody has waited for still belong to the group: the loop has a bound.
    for (let attempt = 0; attempt < 400; attempt += 1) {
      try {
        process.kill(-this.child.pid, "SIGKILL");
      } catch (error) {
        if (error.code === "ESRCH") return;
        throw error;
      }
      await new Promise((resolve) => { setTimeout(resolve, 5); });
    }
  }

  async close() {
    this.send("Browser.close").catch(() => undefined);
    await this.ended;
  }
}
