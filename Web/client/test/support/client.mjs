// The client under test: as it is compiled, or as it is published where CLIENT=bundle says so.

const isBundled = process.env.CLIENT === "bundle";

/** Imports an entry of the client. */
const entry = (name) => import(isBundled ? `../../bundle/${name}.js` : name === "index" ? "../../dist/index.js" : `../../dist/${name}/index.js`);

export const { CacheError, ExactNumber, MemoryJournal, NormalizedCache, parseExact, stringifyExact } = await entry("index");
export const { Session } = await entry("session");
