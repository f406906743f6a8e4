// Reads the schema of requests, and writes the params of each method for the forms of the page.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../../Protocol/schema");
const schemas = new Map();

function schema(name) {
  if (!schemas.has(name)) schemas.set(name, JSON.parse(readFileSync(join(folder, name), "utf8")));
  return schemas.get(name);
}

/** Resolves references, and drops the alternative null. */
function resolve(found, file) {
  if (found === true) return { found: {}, file };
  if (found.$ref !== undefined) {
    const [name, path] = found.$ref.split("#");
    const target = name === "" ? file : name;
    return resolve((path ?? "").split("/").filter((part) => part !== "").reduce((value, part) => value[part], schema(target)), target);
  }
  const choices = (found.anyOf ?? found.oneOf ?? []).filter((choice) => choice.type !== "null");
  if (choices.length === 1) return resolve(choices[0], file);
  return { found, file };
}

function kind(param) {
  if (param.enum !== undefined) return "choice";
  if (param.const !== undefined) return "json";
  return { string: "text", integer: "integer", number: "number", boolean: "flag" }[param.type] ?? "json";
}

function paramsOf(method) {
  const request = schema("session-request.schema.json");
  const params = [];
  const visit = (definition, file) => {
    const { found, file: place } = resolve(definition, file);
    for (const part of found.allOf ?? []) visit(part, place);
    for (const [name, value] of Object.entries(found.properties ?? {})) {
      const param = resolve(value, place).found;
      if (param.const === false || params.some((known) => known.name === name)) continue;
      params.push({
        name, kind: kind(param), isRequired: (found.required ?? []).includes(name),
        ...(param.enum === undefined ? {} : { choices: param.enum.filter((choice) => choice !== null).map(String) }),
      });
    }
  };
  visit(request.$defs[method] ?? {}, "session-request.schema.json");
  if (method === "query.put") visit({ $ref: "query-result.schema.json" }, "session-request.schema.json");
  return params.sort((left, right) => Number(right.isRequired) - Number(left.isRequired));
}

/** Returns the source of `src/generated/methods.ts`. */
export function methodsSource() {
  const names = schema("session-request.schema.json").properties.method.enum;
  const lines = names.map((name) => `  ${JSON.stringify({ name, params: paramsOf(name) })},`);
  return `// Made from Protocol/schema/session-request.schema.json by scripts/build.mjs. Do not change it by hand.

export interface ParamForm {
  name: string;
  kind: "text" | "integer" | "number" | "flag" | "choice" | "json";
  isRequired: boolean;
  choices?: string[];
}

export interface MethodForm {
  name: string;
  params: ParamForm[];
}

export const METHODS: MethodForm[] = [
${lines.join("\n").replace(/"(name|params|kind|isRequired|choices)":/g, "$1: ").replace(/,(?=[a-z{"])/gi, ", ")}
];
`;
}
