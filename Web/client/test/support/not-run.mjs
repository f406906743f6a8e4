import { readFileSync } from "node:fs";

/** Vectors and transcripts that the client does not run, each with its reason. */
export const notRun = JSON.parse(readFileSync(new URL("../../vectors-not-run.json", import.meta.url), "utf8"));
