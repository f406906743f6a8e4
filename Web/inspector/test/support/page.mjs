// One page in a real browser: user clicks and keys, screenshots, and the browser's errors.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "../../../client/test/support/chromium.mjs";
import { drawn } from "../../../client/test/support/drawn.mjs";

const WATCH = `
  globalThis.reports = [];
  document.addEventListener("securitypolicyviolation", (event) => globalThis.reports.push("CSP " + event.violatedDirective + " " + event.blockedURI));
  addEventListener("error", (event) => globalThis.reports.push("error " + event.message));
  addEventListener("unhandledrejection", (event) => globalThis.reports.push("rejection " + event.reason));
  const consoleError = console.error;
  console.error = (...words) => { globalThis.reports.push("console " + words.join(" ")); consoleError(...words); };
`;

const CODES = { Tab: 9, Enter: 13, Escape: 27, " ": 32, End: 35, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

export class Page {
  static async open(browser, url) {
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(browser, targetId, sessionId);
    await page.send("Page.enable");
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: WATCH });
    await page.serveFiles();
    await page.send("Page.navigate", { url });
    return page;
  }

  constructor(browser, targetId, sessionId) {
    this.browser = browser;
    this.targetId = targetId;
    this.sessionId = sessionId;
  }

  /**
   * With INSPECTOR_FILES=FOLDER the page's script and style are read from that folder, with the server's own header
   * fields, so that they need not be compiled in.
   */
  async serveFiles() {
    const files = process.env.INSPECTOR_FILES;
    if (files === undefined) return;
    await this.send("Fetch.enable", { patterns: ["js", "css"].map((ending) => ({ urlPattern: `*/inspector.${ending}`, requestStage: "Response" })) });
    const take = this.browser.take.bind(this.browser);
    this.browser.take = (message) => {
      if (message.method !== "Fetch.requestPaused" || message.sessionId !== this.sessionId) return take(message);
      const { requestId, request, responseHeaders } = message.params;
      const body = readFileSync(join(files, new URL(request.url).pathname));
      const headers = responseHeaders.filter(({ name }) => !/^(content-length|etag|content-encoding)$/i.test(name));
      return this.send("Fetch.fulfillRequest", { requestId, responseCode: 200, responseHeaders: headers, body: body.toString("base64") });
    };
  }

  send(method, params = {}) { return this.browser.send(method, params, this.sessionId); }

  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true; fails with the text of the page. */
  async until(expression, what = expression, milliseconds = 15_000) {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) {
      // While a page is loaded anew, nothing can be evaluated in it.
      if (await this.run(`Boolean(${expression})`).catch((error) => /navigated|context/i.test(error.message) ? false : Promise.reject(error))) return;
      await new Promise((resolve) => { setTimeout(resolve, 30); });
    }
    throw new Error(`not so: ${what}; the page shows: ${(await this.run("document.body.innerText")).slice(0, 2_000)}`);
  }

  /** Returns an expression for the first visible element with a role, and with a name or a part of it. */
  static element(role, name) {
    const selectors = { tab: "[role=tab]", switch: "[role=switch]", option: "[role=option]", button: "button:not([role])", heading: "h1,h2,h3" };
    const isWanted = `(element) => element.checkVisibility() && element.textContent.includes(${JSON.stringify(name)})`;
    return `[...document.querySelectorAll(${JSON.stringify(selectors[role])})].find(${isWanted})`;
  }

  async click(role, name) {
    const element = Page.element(role, name);
    await this.until(element, `a ${role} named ${name}`);
    await this.run(`${element}.click()`);
  }

  async type(label, text) {
    const isWanted = `(label) => label.checkVisibility() && label.textContent.startsWith(${JSON.stringify(label)})`;
    await this.run(`(() => {
      const control = [...document.querySelectorAll("label")].find(${isWanted}).querySelector("input,select,textarea");
      control.value = ${JSON.stringify(text)};
      for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
    })()`);
  }

  async press(key) {
    const text = { Enter: "\r", " ": " " }[key];
    for (const type of ["keyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", { type, key, code: key, text: type === "keyUp" ? undefined : text,
      windowsVirtualKeyCode: CODES[key] ?? 0 });
  }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.targetId }); }

  async size(width, height, isDark = false) {
    // A background page is not drawn.
    await this.send("Page.bringToFront");
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }] });
  }

  async picture(path) {
    await drawn(this);
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  reports() { return this.run("globalThis.reports"); }

  /** Returns accessibility faults: controls without names, duplicate ids, text with too little contrast. */
  findings() { return this.run(`(${lookAtPage})()`); }
}

function lookAtPage() {
  const problems = [];
  const ids = new Set();
  for (const { id } of document.querySelectorAll("[id]")) {
    if (ids.has(id)) problems.push(`two elements are ${id}`);
    ids.add(id);
  }
  const name = (element) => element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent
    ?? (element.matches("button,[role]") ? element.textContent : "");
  const named = "button,input,select,textarea,dialog,[role=listbox],[role=img],[role=tabpanel],[role=switch],[role=tab],[role=option]";
  for (const element of document.querySelectorAll(named)) {
    if (!element.checkVisibility()) continue;
    const label = element.getAttribute("aria-labelledby");
    if (label !== null && document.getElementById(label) !== null) continue;
    if (name(element).trim() === "") problems.push(`no name: ${element.outerHTML.slice(0, 120)}`);
  }
  for (const attribute of ["aria-controls", "aria-labelledby", "aria-activedescendant"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      if (document.getElementById(element.getAttribute(attribute)) === null) problems.push(`${attribute} leads nowhere: ${element.outerHTML.slice(0, 100)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`);
  for (const element of document.querySelectorAll("dt,dd,h1,h2,h3,button,label,.badge")) {
    if (!element.checkVisibility() || element.clientWidth === 0 || element.scrollWidth <= element.clientWidth + 1) continue;
    problems.push(`text runs over its place: ${element.tagName} "${element.textContent.trim().slice(0, 40)}"`);
  }
  const channel = (value) => { const part = value / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
  const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || seen.has(element) || !element.checkVisibility() || element.closest(":disabled") !== null) continue;
    seen.add(element);
    const pair = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((left, right) => right - left);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)}: ${element.className || element.tagName} "${node.data.trim().slice(0, 30)}"`);
  }
  return [...new Set(problems)].slice(0, 20);
}

export { Browser };
