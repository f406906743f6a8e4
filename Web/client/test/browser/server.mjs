// Server rendering: renders components over a cache, once.

import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { NormalizedCache } from "../../dist/index.js";
import { CacheProvider, useCachedQuery, usePendingEdits } from "../../dist/react/index.js";

function Page() {
  const { isLoading } = useCachedQuery("photos", { album: 1 });
  const edits = usePendingEdits();
  return [h("p", { key: 1 }, isLoading ? "loading" : "loaded"), h("p", { key: 2 }, `${edits.length} pending`)];
}

const cache = new NormalizedCache();
const html = renderToStaticMarkup(h(CacheProvider, { cache }, h(Page)));
cache.calls.cache.stats().then(({ observers }) => { process.stdout.write(JSON.stringify({ html, observers })); });
