// The changes between two versions of rows and of lists of rows.

import { listSteps } from "../queries/difference.js";
import type { ListStep } from "../queries/difference.js";
import type { Content, RenderedElement, RenderedRow } from "./rendered.js";
import { contentText } from "./rendered.js";
import { token } from "./rule-json.js";
import { appendValueDifference } from "./value-difference.js";
import type { PatchOperation } from "./value-difference.js";

/** Appends the changes inside a row. */
export function appendRowDifference(old: RenderedRow, fresh: RenderedRow, path: string, operations: PatchOperation[]): void {
  if (old === fresh) return;
  const isAlike = old.includes.length === fresh.includes.length && old.includes.every(({ name }, index) => name === fresh.includes[index].name);
  // Rows of two rules may have different includes.
  if (!isAlike) return appendValueDifference(old.text, fresh.text, path, operations);
  appendValueDifference(old.own, fresh.own, path, operations);
  old.includes.forEach(({ name, content }, index) => appendContentDifference(content, fresh.includes[index].content, path + token(name), operations));
}

function appendContentDifference(old: Content, fresh: Content, path: string, operations: PatchOperation[]): void {
  if (old === fresh) return;
  if (old.is === "object" && fresh.is === "object") return appendValueDifference(old.text, fresh.text, path, operations);
  if (old.is === "list" && fresh.is === "list") return appendListDifference(old.elements, fresh.elements, path, operations);
  if (old.is === "one" && fresh.is === "one") {
    if (old.element === null && fresh.element === null) return;
    if (old.element !== null && old.element.key === fresh.element?.key) return appendRowDifference(old.element.row, fresh.element.row, path, operations);
  }
  operations.push({ op: "replace", path, value: contentText(fresh) });
}

/**
 * Appends the changes of a list: whole rows are added, removed and moved, with the smallest number of moves, and rows that
 * stay are changed inside.
 */
export function appendListDifference(
  old: readonly RenderedElement[], fresh: readonly RenderedElement[], path: string, operations: PatchOperation[],
): void {
  const former = new Map(old.map((element) => [element.key, element.row]));
  const rows = new Map(fresh.map((element) => [element.key, element.row]));
  const steps = listSteps(old.map(({ key }) => key), fresh.map(({ key }) => key), () => false);
  for (const step of steps) operations.push(operationOf(step, path, (key) => rows.get(key)?.text ?? "null"));
  fresh.forEach(({ key, row }, index) => {
    const known = former.get(key);
    if (known !== undefined) appendRowDifference(known, row, `${path}/${index}`, operations);
  });
}

/** Returns a step of a list as an operation. */
export function operationOf<Node>(step: ListStep<Node>, path: string, value: (node: Node) => string): PatchOperation {
  switch (step.op) {
    case "add": case "replace": return { op: step.op, path: `${path}/${step.at}`, value: value(step.node) };
    case "remove": return { op: "remove", path: `${path}/${step.at}` };
    case "move": return { op: "move", from: `${path}/${step.from}`, path: `${path}/${step.at}` };
  }
}
