// The client under test: as it is compiled, or as it is published where CLIENT=bundle says so.

const isBundled = process.env.CLIENT === "bundle";

/** Imports an entry of the client. */
const entry = (name) => import(isBundled ? `../../bundle/${name}.js` : name === "index" ? "../../dist/index.js" : `../../dist/${name}/index.js`);

export const { CacheError, ExactNumber, MemoryJournal, NormalizedCache, loadParts, parseExact, stringifyExact } = await entry("index");
// A test says what a line leads to without waiting for a part; parts.test.mjs has those that are loaded on demand.
await loadParts();
export const { Session } = await entry("session");
