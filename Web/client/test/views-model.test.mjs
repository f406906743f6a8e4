// Live views against a naive model: after every step of a random world the folded patches, a fresh read and the model
// agree. A failure names its seed: SEED=17 runs that one alone, SEEDS=5000 runs that many.

import { test } from "node:test";
import { Random } from "./support/random.mjs";
import { ViewWorld } from "./support/views/world.mjs";

const count = Number(process.env.SEEDS ?? 300);
const seeds = process.env.SEED !== undefined ? [Number(process.env.SEED)] : Array.from({ length: count }, (_, index) => index + 1);
const STEP_COUNT = 40;

test("folded patches, fresh reads and the model agree after every step", async () => {
  for (const seed of seeds) {
    const world = new ViewWorld(new Random(seed));
    await world.open();
    try {
      for (let step = 0; step < STEP_COUNT; step += 1) {
        await world.step();
        await world.check();
      }
      await world.cache.close();
    } catch (error) {
      if (process.env.SEED !== undefined) console.log(world.log.join("\n"));
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
});
