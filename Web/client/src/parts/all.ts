// All parts at once, for entries that need every one: importing this module installs them.

import { edits, gaps, journal, lists, upkeep } from "./index.js";
import * as editsCode from "./edits.js";
import * as gapsCode from "./gaps.js";
import * as journalCode from "./journal.js";
import * as listsCode from "./lists.js";
import * as upkeepCode from "./upkeep.js";

/** Installs all parts, for programs in which no step may wait for one. */
export function installParts(): void {
  edits.install(editsCode);
  gaps.install(gapsCode);
  journal.install(journalCode);
  lists.install(listsCode);
  upkeep.install(upkeepCode);
}
