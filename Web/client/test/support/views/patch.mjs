// JSON Patch (RFC 6902), with add, remove, replace and move.

import assert from "node:assert/strict";

/** Returns a value with a patch applied. The value is not changed. */
export function applyPatch(value, patch) {
  const root = { value: JSON.parse(JSON.stringify(value)) };
  for (const { op, path, from, value: given } of patch) {
    switch (op) {
      case "add": put(root, path, JSON.parse(JSON.stringify(given)), true); break;
      case "replace": put(root, path, JSON.parse(JSON.stringify(given)), false); break;
      case "remove": take(root, path); break;
      case "move": put(root, path, take(root, from), true); break;
      default: assert.fail(`a patch has ${op}`);
    }
  }
  return root.value;
}

function place(root, path) {
  const tokens = path.split("/").map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"));
  let parent = root;
  let name = "value";
  for (const token of tokens.slice(1)) {
    parent = parent[name];
    assert.ok(parent !== null && typeof parent === "object", `${path} leads nowhere`);
    name = token;
  }
  if (Array.isArray(parent)) assert.match(name, /^(0|[1-9][0-9]*)$/);
  return { parent, name };
}

function put(root, path, value, isNew) {
  const { parent, name } = place(root, path);
  if (Array.isArray(parent)) {
    assert.ok(Number(name) < parent.length + (isNew ? 1 : 0), `${path} is outside`);
    parent.splice(Number(name), isNew ? 0 : 1, value);
    return;
  }
  if (!isNew) assert.ok(Object.hasOwn(parent, name), `${path} is not there`);
  parent[name] = value;
}

function take(root, path) {
  const { parent, name } = place(root, path);
  if (Array.isArray(parent)) {
    assert.ok(Number(name) < parent.length, `${path} is outside`);
    return parent.splice(Number(name), 1)[0];
  }
  assert.ok(Object.hasOwn(parent, name), `${path} is not there`);
  const value = parent[name];
  delete parent[name];
  return value;
}
