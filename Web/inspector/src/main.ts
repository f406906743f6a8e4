import { App } from "./app";
import { FragmentHistory } from "./link/history";
import { HttpLink } from "./link/http";

const TOKEN = "tidemark.token";

/** Removes the token from the fragment, so that it is neither in the history nor in screenshots of the address. */
function token(): string {
  const match = /(?:^#|&)token=([^&]*)/.exec(location.hash);
  if (match === null) return sessionStorage.getItem(TOKEN) ?? "";
  const found = decodeURIComponent(match[1]);
  sessionStorage.setItem(TOKEN, found);
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}

const root = document.getElementById("app");
if (root !== null) {
  const link = new HttpLink("", token());
  const app = new App(root, link, new FragmentHistory());
  link.start();
  // For tests of the page: the number of updates so far.
  Object.defineProperty(window, "tidemarkFrameCount", { get: () => app.frames.count });
}
