import { selection } from "../json/text.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import type { ListChange } from "./records.js";

/** Returns the patch for an observer of some fields; replacements that change none of these fields are left out. */
export function patchOf(steps: readonly ListChange[], fields: ReadonlySet<string> | null): Out[] {
  const patch: Out[] = [];
  for (const step of steps) {
    const path = `/${step.at}`;
    switch (step.op) {
      case "add": patch.push({ op: "add", path, value: selected(step.raw, fields) }); break;
      case "remove": patch.push({ op: "remove", path }); break;
      case "move": patch.push({ op: "move", from: `/${step.from}`, path }); break;
      case "replace":
        if (fields !== null && selection(step.raw.text, fields) === selection(step.old ?? "{}", fields)) break;
        patch.push({ op: "replace", path, value: selected(step.raw, fields) });
    }
  }
  return patch;
}

/** Returns a resource as an observer of some fields sees it. */
export function selected(raw: Raw, fields: ReadonlySet<string> | null): Raw {
  return fields === null ? raw : new Raw(selection(raw.text, fields));
}
