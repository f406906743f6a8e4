// The methods of live views. A part that is loaded with the first one. Protocol/views.md.

import { kindOf, stringValue } from "../json/text.js";
import { CacheError, noRoomFor } from "../model/errors.js";
import type { Limits } from "../model/limits.js";
import { byteLength } from "../json/utf8.js";
import { Raw } from "../out/raw.js";
import type { Out } from "../out/value.js";
import type { Sink } from "../engine/notifications.js";
import { refuse } from "../params/params.js";
import type { Params } from "../params/params.js";
import { libraryOf } from "../params/requests.js";
import type { RequestContext } from "../params/requests.js";
import type { Methods, Reply } from "../methods/methods.js";
import { putStrict } from "../methods/strict.js";
import type { State } from "../state/state.js";
import { parseView } from "../views/parse.js";
import type { ViewRule } from "../views/rule.js";
import type { DefinitionRecord } from "./definition.js";
import { explained } from "./explain.js";
import { viewsOf, windowOnce } from "./live-views.js";
import type { LiveViews } from "./live-views.js";
import type { ViewObserver } from "./observer.js";
import { resultOf, toldOf } from "./results.js";

const NAME_BYTE_COUNT_MAX = 128;
const READ = ["view", "params", "offset", "limit", "keys"];

/** Defines the views of a journal. */
export function restoreView(state: State, record: DefinitionRecord): void { viewsOf(state).restore(record); }

/** Adds the methods of this part to a cache. */
export function addMethods(methods: Methods): void {
  const { engine, context } = methods;
  const views = viewsOf(engine.state);
  views.onEnd = (subscription) => engine.observers.cancel(subscription, () => undefined);
  putStrict(methods, "view.read", READ, (params, reply) => reply(read(views, params, context)));
  putStrict(methods, "view.observe", READ, (params, reply, sink) => reply(observe(methods, views, params, sink)));
  putStrict(methods, "view.move", ["subscription", "offset", "limit"], (params, reply) => {
    const subscription = params.integer("subscription", 0, Number.MAX_SAFE_INTEGER)
      ?? params.wrong("subscription", "the number that the observing answered with");
    const found = views.find(subscription);
    if (found === null) {
      throw new CacheError("unknown_subscription", `there is no view with subscription ${subscription}: it ended, or was never observed`);
    }
    views.move(found.views, found.observer, offsetOf(params), limitOf(params));
    engine.distribute();
    reply({});
  });
  putStrict(methods, "view.define", ["name", "view"], (params, reply) => define(methods, views, params, reply));
  putStrict(methods, "view.drop", ["name"], (params, reply) => {
    const library = libraryOf(params, context);
    const { name, rule } = views.drop(library, nameOf(params));
    durable(methods, reply, () => { views.define(library, name, rule); });
  });
  putStrict(methods, "view.list", [], (params, reply) => reply(list(views, libraryOf(params, context))));
  putStrict(methods, "view.explain", ["view", "params", "row", "entity"], (params, reply) => {
    const library = libraryOf(params, context);
    const reading = views.hold(library, viewOf(params, context.limits), params.object("params"));
    reply(windowOnce(views, reading, null, null, (window) => explained(engine.state, reading.views, window, params, context)));
  });
}

// Reading

function viewOf(params: Params, limits: Limits): { rule: ViewRule; } | { name: string; } {
  const json = params.value("view") ?? params.wrong("view", "a rule, or the name of a defined view");
  return kindOf(json) === "string" ? { name: stringValue(json) } : { rule: parseView(json, limits) };
}

function offsetOf(params: Params): number | null { return params.integer("offset", 0, Number.MAX_SAFE_INTEGER); }

function limitOf(params: Params): number | null { return params.integer("limit", 1, Number.MAX_SAFE_INTEGER); }

function read(views: LiveViews, params: Params, context: RequestContext): Out {
  const [offset, limit, hasKeys] = [offsetOf(params), limitOf(params), params.flag("keys")];
  const reading = views.hold(libraryOf(params, context), viewOf(params, context.limits), params.object("params"));
  return windowOnce(views, reading, offset, limit, (window) => {
    const evictions = reading.views.evictions(window.use.plan);
    return resultOf(reading.views, window, hasKeys, toldOf(reading.views, window, evictions > (reading.definition?.evictions ?? 0)));
  });
}

function observe({ engine, context }: Methods, views: LiveViews, params: Params, sink: Sink): Out {
  const library = libraryOf(params, context);
  const [offset, limit, hasKeys] = [offsetOf(params), limitOf(params), params.flag("keys")];
  const view = viewOf(params, context.limits);
  const given = params.object("params");
  engine.observers.checkRoom();
  views.checkRoom();
  const reading = views.hold(library, view, given);
  const own = reading.views;
  if (engine.state.takeLibrary(library) === null) {
    views.release(reading);
    throw noRoomFor("library");
  }
  const window = own.set.open(reading.use, offset, limit);
  if (window.isTooLarge) {
    own.set.close(window);
    views.release(reading);
    throw new CacheError("limit_exceeded", views.tooLarge);
  }
  const told = toldOf(own, window, false);
  const subscription = engine.observers.takeSubscription();
  const observer: ViewObserver = {
    subscription, window, sink, name: reading.definition?.name ?? null, params: given, binding: reading.binding, hasKeys, offset, limit,
    evictions: own.evictions(reading.use.plan), told,
  };
  views.observe(own, observer);
  views.release(reading);
  engine.observers.addOther(subscription, () => views.cancel(own, observer));
  return { ...resultOf(own, window, hasKeys, told), subscription };
}

// Definitions

function nameOf(params: Params): string {
  const name = params.requiredText("name");
  return byteLength(name) <= NAME_BYTE_COUNT_MAX ? name : refuse(`name has ${byteLength(name)} bytes: pass 1 to ${NAME_BYTE_COUNT_MAX}`);
}

function define(methods: Methods, views: LiveViews, params: Params, reply: Reply): void {
  const library = libraryOf(params, methods.context);
  const name = nameOf(params);
  const json = params.object("view") ?? params.wrong("view", "the rule of the view");
  const rule = parseView(json, methods.context.limits);
  if (methods.engine.state.takeLibrary(library) === null) throw noRoomFor("library");
  const former = views.define(library, name, rule);
  durable(methods, reply, () => {
    if (former === null) views.drop(library, name);
    else views.undefine(library, former);
  });
}

/** Replies once the change is durable; `undo` reverts it if writing fails. */
function durable(methods: Methods, reply: Reply, undo: () => void): void {
  const { engine } = methods;
  const answered = methods.waiting(reply);
  engine.distribute();
  engine.flusher.wait(true, (error) => {
    if (error === null) return answered({});
    try {
      undo();
    } catch (failure) {
      // Another request has changed the definition in the meantime.
      if (!(failure instanceof CacheError)) throw failure;
    }
    engine.distribute();
    answered(error);
  });
  engine.noteChanged();
}

function list(views: LiveViews, library: string): Out {
  const own = views.of(library);
  const definitions = [...own?.definitions.values() ?? []].sort((left, right) => left.name < right.name ? -1 : 1);
  return {
    views: definitions.map(({ name, rule, use }) => ({
      name, view: new Raw(rule.canonical), params: rule.parameters,
      observers: [...own?.observers.values() ?? []].filter((observer) => observer.name === name).length,
      rows: use === null ? null : use.rows.size, bytes: rule.canonical.length + (use === null ? 0 : use.rows.size * 200), state: "live",
    })),
  };
}
