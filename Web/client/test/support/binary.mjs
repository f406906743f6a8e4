// The command of the Swift implementation, for tests that compare both.

import { accessSync, constants } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Returns the path of a built `tidemark`, or the one that TIDEMARK_COMMAND names; null if there is none. */
export function tidemark() {
  const builds = [".build/debug", ".build/release"].map((folder) => `${root}${folder}/tidemark`);
  for (const path of [process.env.TIDEMARK_COMMAND, ...builds]) {
    if (path === undefined) continue;
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Try the next one.
    }
  }
  return null;
}

/** Runs a session over lines, and resolves with its output lines. */
export function runSession(path, args, lines) {
  return new Promise((resolve, reject) => {
    const child = spawn(path, ["run", ...args], { stdio: ["pipe", "pipe", "ignore"] });
    const said = [];
    createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
    child.on("error", reject);
    child.on("close", (code) => code === 0 ? resolve(said) : reject(new Error(`the command ended with ${code}`)));
    child.stdin.on("error", () => undefined);
    child.stdin.end(lines.map((line) => `${line}\n`).join(""));
  });
}
