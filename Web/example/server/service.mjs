// The photo service, the source of truth. It has the photos and a log of events, and performs each mutation once.

const titles = {
  Coast: ["Open sea", "Low tide", "Lighthouse", "Harbour wall", "Evening ferry", "Salt marsh"],
  Hills: ["First snow", "Ridge path", "Larches", "Fog below", "High meadow", "Hut window"],
  City: ["Blue hour", "Tram line 4", "Roof garden", "After rain", "Old exchange", "Night market"],
};
/** Maximum number of mutations whose responses are remembered. */
const ANSWER_COUNT_MAX = 10_000;

/** The photos of one library, and the log of their events. */
export class PhotoService {
  /** @param publish Receives each new event of the log; if it fails, the event is missing on the other side. */
  constructor(publish) {
    this.publish = publish;
    this.photos = new Map();
    this.log = [];
    this.answers = new Map();
    this.isLosing = false;
    /** The sequences of events that were lost in transit. */
    this.lost = new Set();
    /** Delay of a response with missing events, in milliseconds. */
    this.delay = 0;
    let number = 0;
    for (let index = 0; index < 6; index += 1) {
      for (const [album, names] of Object.entries(titles)) {
        number += 1;
        const photo = { id: `p${number}`, title: names[index], album, taken: day(number), favourite: number % 7 === 1, scene: number };
        this.change(photo);
      }
    }
  }

  get sequence() { return this.log.length; }

  /** Answers a request. Throws if it is refused. */
  async answer(method, params) {
    switch (method) {
      case "events.since.v1":
        if (this.delay > 0) await new Promise((resolve) => { setTimeout(resolve, this.delay); });
        return { events: this.log.slice(Math.max(0, params.sequence - 1)), covered_through: this.sequence };
      // The latest events, like a news feed: fast, but not guaranteed to be complete.
      case "events.latest": return { events: this.log.slice(params.sequence - 1).filter(({ sequence }) => !this.lost.has(sequence)) };
      case "mutation.send": return this.perform(params);
      default: throw Object.assign(new Error(`there is no method ${method}`), { code: -32601 });
    }
  }

  /** Performs a mutation once, however often it is requested. */
  perform({ pending_id, method, input }) {
    const known = this.answers.get(pending_id);
    if (known !== undefined) return known;
    const photo = this.photos.get(input.id);
    if (photo === undefined) throw Object.assign(new Error("that photo is gone"), { data: { code: "not_found" } });
    const changed = { ...photo };
    if (method === "photos.rename") changed.title = String(input.title).slice(0, 80);
    else if (method === "photos.favourite") changed.favourite = input.favourite === true;
    else throw Object.assign(new Error(`there is no mutation ${method}`), { data: { code: "unknown_mutation" } });
    this.change(changed, pending_id);
    const answer = { confirmed: changed, sequence: this.sequence };
    this.answers.set(pending_id, answer);
    if (this.answers.size > ANSWER_COUNT_MAX) this.answers.delete(this.answers.keys().next().value);
    return answer;
  }

  /** Makes an edit by another user. */
  rename(id, title) { this.change({ ...this.photos.get(id), title }); }

  /** Adds a photo by another user. */
  add(title) {
    const number = this.photos.size + 1;
    const album = Object.keys(titles)[number % 3];
    this.change({ id: `p${number}`, title, album, taken: day(number), favourite: false, scene: number * 5 });
  }

  change(photo, mutation_id) {
    this.photos.set(photo.id, photo);
    const event = {
      sequence: this.sequence + 1, metadata: mutation_id === undefined ? undefined : { mutation_id },
      event: { ResourceChanged: { resource_type: "photo", resource: photo } },
    };
    this.log.push(event);
    if (!this.isLosing) return this.publish(event);
    this.isLosing = false;
    this.lost.add(event.sequence);
  }
}

/** The day on which a photo was taken: later for higher numbers, so that new ones come first. */
function day(number) { return new Date(Date.UTC(2026, 2, 1 + number * 3)).toISOString().slice(0, 10); }
