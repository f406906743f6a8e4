import type { FieldChange } from "../model/diff";
import { stringify } from "../model/json";
import { h } from "./dom";
import { cut } from "./format";

const VALUE_LENGTH = 400;

/** Returns elements that show how two versions of an entity differ, one line for each field. */
export function fieldChanges(fields: readonly FieldChange[]): HTMLElement[] {
  return fields.map((field) => h("div", { class: "change" }, h("b", {}, field.name),
    field.before === undefined ? null : h("del", {}, cut(stringify(field.before), VALUE_LENGTH)),
    field.after === undefined ? null : h("ins", {}, cut(stringify(field.after), VALUE_LENGTH))));
}
