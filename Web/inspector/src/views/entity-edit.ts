import type { Json } from "../model/json";
import { isEqual, JsonObject, parse, stringify } from "../model/json";
import { button, freshId, h, say, show } from "../ui/dom";
import type { Page } from "./page";

/**
 * Opens an editor for an entity, and creates a pending edit from the changes. The edit can be rolled back in Pending
 * edits.
 */
export function editEntity(app: Page, library: string, key: string, entity: Json): void {
  const name = freshId("question");
  const before = entity instanceof JsonObject ? entity : new JsonObject([]);
  const area = h("textarea", { rows: "12", spellcheck: "false", "aria-label": "The entity as JSON" });
  area.value = pretty(before);
  const problem = h("p", { role: "alert", "data-bad": true, hidden: true });
  const dialog = h("dialog", { class: "question wide", "aria-labelledby": name });
  const close = (): void => {
    dialog.close();
    dialog.remove();
  };
  const fail = (text: string): void => {
    say(problem, text);
    show(problem, true);
  };
  const save = async (): Promise<void> => {
    let after: Json;
    try {
      after = parse(area.value);
    } catch (error) {
      return fail(error instanceof Error ? error.message : String(error));
    }
    if (!(after instanceof JsonObject)) return fail("An entity is an object: write {…}.");
    const change = changeOf(key, before, after);
    if (change === null) return fail("Nothing is changed.");
    const pendingId = `inspector-${crypto.randomUUID()}`;
    try {
      await app.link.call("optimistic.update", { pending_id: pendingId, library_id: library, changes: [change] });
      close();
      app.tell("Shown as a pending edit, which is not sent to a server. Roll it back in Pending edits.");
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  };
  dialog.append(h("h2", { id: name }, `Edit ${key}`),
    h("p", {}, "Readers see it as an edit of the user's: a layer over what the server said, until it is rolled back."),
    area, problem, h("div", { class: "actions" }, button("Cancel", close), button("Show it", () => void save(), { class: "button main" })));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  (document.activeElement?.shadowRoot ?? document.body).append(dialog);
  dialog.showModal();
}

/** Returns the operation that changes one version into the other; null if they are equal. */
export function changeOf(key: string, before: JsonObject, after: JsonObject): JsonObject | null {
  const mark = key.indexOf(":");
  const place: [string, Json][] = [["resource_type", key.slice(0, mark)], ["id", key.slice(mark + 1)]];
  if (before.members.length === 0) return after.members.length === 0 ? null : new JsonObject([["op", "put"], ...place, ["resource", after]]);
  const fields = after.members.filter(([name, value]) => !isEqual(before.get(name), value));
  const unset = before.members.map(([name]) => name).filter((name) => after.get(name) === undefined);
  if (fields.length === 0 && unset.length === 0) return null;
  return new JsonObject([["op", "patch"], ...place, ["fields", new JsonObject(fields)], ...(unset.length === 0 ? [] : [["unset", unset] as [string, Json]])]);
}

/** Returns an entity with one member on each line, for editing. */
function pretty(entity: JsonObject): string {
  return `{\n${entity.members.map(([name, value]) => `  ${JSON.stringify(name)}: ${stringify(value)}`).join(",\n")}\n}`;
}
