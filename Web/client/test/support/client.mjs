// The client under test: as compiled, or with CLIENT=bundle as published.

const isBundled = process.env.CLIENT === "bundle";

/** Imports an entry of the client. */
const entry = (name) => import(isBundled ? `../../bundle/${name}.js` : name === "index" ? "../../dist/index.js" : `../../dist/${name}/index.js`);

export const {
  CacheError, ExactNumber, MemoryJournal, NormalizedCache, connectScope, joinScopes, loadParts, parseExact, stringifyExact,
} = await entry("index");
// Tests check the effect of a line without waiting for a part; parts.test.mjs tests loading on demand.
await loadParts();
export const { Session } = await entry("session");
