// Views over the data of `data.mjs`, and a page that shows one of them with everything that it says.

import { Page } from "./page.mjs";

/** The best photos, the largest first. */
export const BEST = { from: { type: "photo", where: { path: "/rating", eq: 5 } }, order: [{ path: "/size", direction: "desc" }], limit: 200, total: true };

/** Photos with a rating, each with its album. */
export const RATED = {
  from: { type: "photo", where: { path: "/rating", eq: { param: "rating" } } }, joins: [{ type: "album", kind: "left", on: { "@key": "photo/album" } }],
  select: { id: "photo/id", title: "photo/title", album: "album/name" }, limit: 50,
};

/** Defines the views. */
export async function defineViews(server) {
  for (const [name, view] of Object.entries({ best: BEST, rated: RATED })) {
    const { error } = await server.call("view.define", { name, view });
    if (error !== undefined) throw new Error(JSON.stringify(error));
  }
}

/** Shows rows with parameters, a row with the entities behind it, and why an entity is not in the view. */
export async function setTheViews(server, page) {
  await defineViews(server);
  await page.click("tab", "Views");
  await page.click("option", "rated");
  await page.type("rating", "3");
  await page.click("button", "Show");
  await page.until("document.querySelectorAll('.viewing .row:not([hidden])').length > 3");
  await page.type("Entity", "photo:p000004");
  await page.click("button", "Explain");
  await page.until("document.querySelector('.reason')?.textContent.includes('is in no row')");
  await page.until(`${Page.element("option", "photo:p000003")} !== undefined`);
  await page.click("option", "photo:p000003");
  await page.until("[...document.querySelectorAll('.viewing .plain .link')].some((link) => link.textContent === 'photo:p000003')");
}
