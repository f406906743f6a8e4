// All parts at once, for entries that need every one: importing this module installs them.

import * as editsCode from "./edits.js";
import * as gapsCode from "./gaps.js";
import * as journalCode from "./journal.js";
import * as listsCode from "./lists.js";
import { edits, gaps, journal, lists, upkeep, views } from "./loaders.js";
import * as upkeepCode from "./upkeep.js";
import * as viewsCode from "./views.js";

/** Installs all parts, for programs in which no step may wait for one. */
export function installParts(): void {
  edits.install(editsCode);
  gaps.install(gapsCode);
  journal.install(journalCode);
  lists.install(listsCode);
  upkeep.install(upkeepCode);
  views.install(viewsCode);
}
