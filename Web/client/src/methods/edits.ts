// The methods for transactions, removals, pending edits and the outbox. A part that is loaded on first use.
// Protocol/sessions.md.

import { CacheError } from "../model/errors.js";
import type { Out } from "../out/value.js";
import type { Params } from "../params/params.js";
import { libraryOf, namedLibrary } from "../params/requests.js";
import { confirmationOf, expectationsOf, removalOf, stepsOf, updateOf } from "../params/steps.js";
import { confirm, lay, rollBack } from "../state/layers.js";
import { upkeep } from "../state/parts.js";
import { pendingOut } from "../state/pending-out.js";
import { clear, removeSlots, selectedSlots } from "../state/removal.js";
import { transact } from "../state/transactions.js";
import type { Handler, Methods, Reply } from "./methods.js";
import { putStrict } from "./strict.js";

/** Adds the methods of this part to a cache. */
export function addMethods(methods: Methods): void {
  const { engine, context } = methods;
  const named = (params: Params): string | null => namedLibrary(params, context);
  const strict = (name: string, known: readonly string[], handler: Handler): void => putStrict(methods, name, known, handler);
  strict("cache.transaction", ["operations"], (params, reply) => {
    const steps = stepsOf(params, "operations", context);
    const library = libraryOf(params, context);
    transact(engine.state, steps, library, expectationsOf(params, context), engine.now());
    methods.done(reply, {});
  });
  strict("cache.remove", ["resource_type", "ids", "matching", "cascade"], (params, reply) => remove(methods, params, reply));
  strict("cache.clear", [], (params, reply) => {
    clear(engine.state, named(params), engine.now());
    methods.done(reply, {});
  });
  strict("optimistic.update", ["pending_id", "changes", "depends_on", "send"], (params, reply) => update(methods, params, reply));
  strict("optimistic.commit", ["pending_id", "confirmed", "resource_type", "sequence", "id_map"], (params, reply) => {
    confirm(engine.state, confirmationOf(params, context, params.requiredText("pending_id")), engine.now());
    durable(methods, reply, {}, null);
  });
  strict("optimistic.rollback", ["pending_id"], (params, reply) => {
    rollBack(engine.state, params.requiredText("pending_id"), named(params), engine.now());
    durable(methods, reply, {}, null);
  });
  strict("optimistic.list", [], (params, reply) => reply(pendingOut(engine.state, named(params))));
  strict("optimistic.retry", ["pending_id"], (params, reply) => {
    engine.takeOutbox().retry(params.requiredText("pending_id"), named(params));
    durable(methods, reply, {}, null);
  });
  strict("outbox.list", [], (params, reply) => reply(engine.takeOutbox().list(named(params))));
  strict("outbox.pause", [], (_params, reply) => {
    engine.takeOutbox().pause();
    reply({});
  });
  strict("outbox.resume", [], (_params, reply) => {
    engine.takeOutbox().resume();
    reply({});
  });
}

function remove(methods: Methods, params: Params, reply: Reply): void {
  const { engine, context } = methods;
  const library = libraryOf(params, context);
  const { type, ids, matching } = removalOf(params, context);
  if (type === null && matching === null) {
    throw new CacheError("invalid_params",
      "nothing says what to remove: pass resource_type, ids or matching; cache.clear removes all of a library");
  }
  const { state } = engine;
  const isCascading = params.flag("cascade") && state.options.policy !== null;
  const selected = selectedSlots(state, library, type === null ? null : state.ownType(type), ids, matching);
  const slots = isCascading ? [...selected, ...upkeep.code.cascade(state, selected, ({ text }) => text)] : selected;
  methods.done(reply, { removed: removeSlots(state, slots, engine.now()) });
}

function update(methods: Methods, params: Params, reply: Reply): void {
  const { engine } = methods;
  const edit = updateOf(params, methods.context);
  const answered = methods.waiting(reply);
  engine.takeOutbox();
  try {
    lay(engine.state, edit, engine.now());
  } catch (error) {
    methods.stopWaiting();
    throw error;
  }
  durable(methods, answered, { pending_id: edit.pendingId }, () => rollBack(engine.state, edit.pendingId, null, engine.now()));
}

/** Replies once the change is durable; `undo` reverts it if writing fails. */
function durable({ engine }: Methods, reply: Reply, out: Out, undo: (() => void) | null): void {
  engine.distribute();
  engine.flusher.wait(true, (error) => {
    if (error === null) return reply(out);
    try {
      undo?.();
    } catch (failure) {
      // The layer has settled in the meantime.
      if (!(failure instanceof CacheError)) throw failure;
    }
    engine.distribute();
    reply(error);
  });
  engine.noteChanged();
}
