import { createRoot } from "react-dom/client";
import { CacheProvider } from "@tidemark/client/react";
import { App } from "./app.jsx";
import { openCache } from "./cache.js";

const root = createRoot(document.getElementById("root"));
openCache().then(
  (cache) => {
    globalThis.cache = cache;
    root.render(<CacheProvider cache={cache}><App /></CacheProvider>);
  },
  (error) => root.render(<main><p className="notice">The photos cannot be opened: {error.message}</p></main>));
