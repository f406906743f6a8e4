// The log of one scope, as a server keeps it: a state, units, resumptions and departures. Protocol/scopes.md.

const UNIT = 2 ** 20;

/** A scope that one client sees: its entities, and what entered, changed and left in which unit. */
export class ScopeLog {
  entities = new Map();
  /** The number of the last unit. */
  head = 1;
  /** The unit of each entity's last change, and of its entering. */
  changedAt = new Map();
  enteredAt = new Map();
  departures = [];
  /** The unit of each epoch's state. An epoch that is removed is over. */
  epochs = new Map();
  stateCount = 0;
  edits = [];

  constructor(library = "server-library") { this.library = library; }

  /** Performs steps as one unit: `{ put: resource, type }`, `{ leave: key }` or `{ delete: key }`. */
  change(steps, mutationId = null) {
    this.head += 1;
    for (const step of steps) {
      if (step.put !== undefined) {
        const key = `${step.type}:${step.put.id}`;
        if (!this.entities.has(key)) this.enteredAt.set(key, this.head);
        this.entities.set(key, { type: step.type, resource: step.put });
        this.changedAt.set(key, this.head);
      } else {
        const key = step.leave ?? step.delete;
        if (!this.entities.delete(key)) continue;
        this.departures.push({ key, from: this.enteredAt.get(key), to: this.head, isScope: step.leave !== undefined });
      }
    }
    if (mutationId !== null) this.edits.push({ at: this.head, mutationId });
  }

  /** Everything leaves, as when access ends. */
  clear() { this.change([...this.entities.keys()].map((key) => ({ leave: key }))); }

  number(epoch, unit) { return (unit - this.epochs.get(epoch) + 1) * UNIT; }

  /** Returns the lines of a state in a new epoch. */
  state() {
    this.stateCount += 1;
    const epoch = `e${this.stateCount}`;
    this.epochs.set(epoch, this.head);
    const types = [...new Set([...this.entities.values()].map(({ type }) => type))].sort();
    const batches = types.flatMap((type) => {
      const resources = [...this.entities].filter(([, entity]) => entity.type === type).sort(([left], [right]) => left < right ? -1 : 1)
        .map(([, { resource }]) => resource);
      return chunks(resources, 2).map((some) => ({ ResourceBatchChanged: { resource_type: type, resources: some } }));
    });
    const lines = [{ Reset: { state: true } }, ...batches].map((event, index) => this.line(epoch, index, index - 1, event));
    const last = this.number(epoch, this.head);
    return [...lines, this.line(epoch, last, batches.length, { Heartbeat: { last_sequence: last } })];
  }

  /** Returns what a client at a number is sent, and a heartbeat; null if the epoch is over. */
  resume(epoch, after) {
    if (!this.epochs.has(epoch) || after < UNIT) return null;
    const start = Math.floor(after / UNIT) + this.epochs.get(epoch) - 1;
    const last = this.number(epoch, this.head);
    return [...this.since(epoch, start, after), { library_id: this.library, epoch, event: { Heartbeat: { last_sequence: Math.max(after, last) } } }];
  }

  /** Returns the lines from a unit on as one unit, behind a number. */
  since(epoch, start, after) {
    const changed = [...this.entities].filter(([key]) => this.changedAt.get(key) > start).sort(([left], [right]) => left < right ? -1 : 1);
    const left = this.departures.filter(({ key, from, to }) => from <= start && to > start && !this.entities.has(key));
    const gone = [...new Map(left.map((one) => [one.key, one])).values()];
    const settled = this.edits.filter(({ at }) => at > start);
    const events = [
      ...changed.map(([, { type, resource }]) => ({ event: { ResourceChanged: { resource_type: type, resource } } })),
      ...gone.map(({ key, isScope }) => ({ event: { ResourceDeleted: { resource_type: key.split(":")[0], resource_id: key.split(":")[1],
        ...isScope ? { reason: "scope" } : {} } } })),
      ...settled.slice(1).map(({ mutationId }) => ({ event: { ResourceBatchChanged: { resource_type: "none", resources: [] } }, mutationId })),
    ];
    if (events.length === 0 && (settled.length > 0 || this.number(epoch, this.head) > after)) {
      events.push({ event: { ResourceBatchChanged: { resource_type: "none", resources: [] } } });
    }
    return events.map(({ event, mutationId }, index) => {
      const isLast = index === events.length - 1;
      const sequence = isLast ? this.number(epoch, this.head) : after + index + 1;
      return {
        ...this.line(epoch, sequence, index === 0 ? after : after + index, event), ...isLast ? {} : { more: true },
        ...mutationId === undefined ? isLast && settled.length > 0 ? { mutation_id: settled[0].mutationId } : {} : { mutation_id: mutationId },
      };
    });
  }

  line(epoch, sequence, prev, event) {
    return { library_id: this.library, epoch, sequence, ...prev < 0 || sequence === 0 ? {} : { prev }, event };
  }

  /** The lines that a cache exports of the entities. */
  held(library) {
    const bytes = (text) => Buffer.from(text);
    return [...this.entities].sort(([left], [right]) => Buffer.compare(bytes(left), bytes(right)))
      .map(([key, { type, resource }]) => JSON.stringify([library, type, key.slice(type.length + 1), resource]));
  }
}

/** Returns what a cache has of a library, to compare with `held`. */
export function cached(cache, library) {
  return cache.export().map((line) => JSON.parse(line)).filter(({ library_id }) => library_id === library)
    .map(({ library_id, resource_type, id, resource }) => JSON.stringify([library_id, resource_type, id, resource]));
}

function chunks(list, size) { return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size)); }
