// A naive model of requests and responses: it remembers everything that ever happened, and scans all of it to decide
// what a response may change. Entities are `file`s with one field; lists have no rule.

/** One library of the model. */
class LibraryModel {
  cursor = null;
  generation = 0;
  /** `id` → `{ n, sequence, generation }`; `n` is null for a delete. */
  entities = new Map();
  /** `key` → `{ ids, isStale, asked, asOf, tags }`. */
  lists = new Map();
  /** Everything that happened, oldest first: `{ at, is, … }`. */
  history = [];
}

export class QuestionModel {
  moment = 0;
  libraries = new Map(["", "b"].map((name) => [name, new LibraryModel()]));
  /** Open requests: `{ library, key, at, cursor, generation }`. */
  running = [];

  of(library) { return this.libraries.get(library); }

  note(library, happening) {
    this.moment += 1;
    this.of(library).history.push({ at: this.moment, generation: this.of(library).generation, ...happening });
  }

  // What happens

  event(library, sequence, id, n) {
    const own = this.of(library);
    const known = own.entities.get(id);
    // A value from a response may stand for a later position.
    const isOlder = sequence !== null && known !== undefined && known.generation === own.generation && known.sequence !== null && known.sequence >= sequence;
    if (!isOlder) {
      this.note(library, { is: "write", id, sequence });
      this.put(library, id, n, sequence);
    }
    if (sequence !== null) own.cursor = sequence;
  }

  write(library, id, n) {
    this.note(library, { is: "write", id, sequence: null, isEdit: true });
    this.put(library, id, n, null);
  }

  /** A server's confirmation of a mutation, without a known position. */
  confirm(library, id, n) {
    const known = this.of(library).entities.get(id);
    const keeps = known !== undefined && known.n !== null && known.generation === this.of(library).generation;
    this.note(library, { is: "write", id, sequence: null, isEdit: true });
    this.put(library, id, n, keeps ? known.sequence : null);
  }

  put(library, id, n, sequence) {
    const own = this.of(library);
    own.entities.set(id, { n, sequence, generation: own.generation });
    if (n === null) for (const list of own.lists.values()) list.ids = list.ids.filter((known) => known !== id);
  }

  /**
   * `concerns(key, tags, isTypeUnknown)` returns whether a list is doubtful; `tags` is undefined if they are unknown.
   */
  doubt(library, sequence, concerns, isEvent = false) {
    const own = this.of(library);
    this.note(library, { is: "doubt", sequence, concerns, isEvent });
    if (sequence !== null && (own.cursor === null || sequence > own.cursor)) own.cursor = sequence;
    for (const [key, list] of own.lists) if (concerns(key, list.tags)) list.isStale = true;
  }

  newLog(library, baseline) {
    const own = this.of(library);
    own.generation += 1;
    own.cursor = baseline;
    this.doubt(library, null, () => true);
  }

  clear(library) {
    this.note(library, { is: "clear" });
    this.of(library).entities.clear();
    this.of(library).lists.clear();
  }

  // Questions

  since(question) { return this.of(question.library).history.filter(({ at }) => at > question.at); }

  mayJoin(question) {
    const { library, key } = question;
    const list = this.of(library).lists.get(key);
    if (question.generation !== this.of(library).generation || list !== undefined && list.asked > question.at) return false;
    // The tags of an awaited response are unknown, and so is its type if no list is stored.
    return !this.since(question).some(({ is, isEdit, concerns }) => is === "clear" || is === "write" && isEdit === true
      || is === "doubt" && concerns(key, undefined, list === undefined));
  }

  /** A reader requests a list. Returns the request that it waits for, and whether that is a new one. */
  ask(library, key) {
    const newest = this.running.filter((question) => question.library === library && question.key === key).pop();
    if (newest !== undefined && this.mayJoin(newest)) return { question: newest, isNew: false };
    this.moment += 1;
    const { cursor, generation } = this.of(library);
    const question = { library, key, at: this.moment, cursor, generation };
    this.running.push(question);
    return { question, isNew: true };
  }

  fail(question) { this.running.splice(this.running.indexOf(question), 1); }

  /** `answer` is `{ resources: [{ id, n }], as_of, tags }`; `question` is null for an unrequested response. */
  answer(library, key, answer, question) {
    const own = this.of(library);
    if (question !== null) this.fail(question);
    const since = question === null ? [] : this.since(question);
    if (since.some(({ is }) => is === "clear")) return;
    const isVoid = question !== null && question.generation !== own.generation;
    const asOf = isVoid ? null : answer.as_of ?? null;
    const cursor = question === null ? own.cursor : isVoid ? null : question.cursor;
    this.moment += 1;
    const asked = question?.at ?? this.moment;
    const isDeleted = (id) => own.entities.get(id)?.n === null;
    const old = own.lists.get(key);
    const isOvertaken = question !== null && old !== undefined && old.asked > question.at && (asOf === null || old.asOf === null || old.asOf >= asOf);
    const staleBefore = old;
    const listed = [];
    const written = [];
    for (const { id, n } of answer.resources) {
      if (this.isNewer(own, id, question, since, asOf, cursor)) {
        if (!isDeleted(id)) listed.push(id);
        continue;
      }
      const known = own.entities.get(id);
      const keeps = asOf === null && known !== undefined && known.n !== null && known.generation === own.generation && known.sequence !== null;
      const place = asOf ?? cursor;
      own.entities.set(id, { n, sequence: keeps && (place === null || known.sequence > place) ? known.sequence : place, generation: own.generation });
      written.push({ is: "answer", id, sequence: own.entities.get(id).sequence, asked });
      listed.push(id);
    }
    for (const write of written) own.history.push({ at: this.moment, generation: own.generation, ...write });
    if (isOvertaken) return;
    const concerned = ({ concerns }) => concerns(key, answer.tags ?? null) || staleBefore !== undefined && concerns(key, staleBefore.tags);
    const isBehind = ({ sequence }) => sequence === null || (asOf ?? cursor) === null || sequence > (asOf ?? cursor);
    const isStale = isVoid || since.some((one) => one.is === "doubt" && isBehind(one) && concerned(one))
      || asOf !== null && own.history.some((one) => one.is === "doubt" && one.isEvent && one.generation === own.generation && one.sequence !== null
        && one.sequence > asOf && concerned(one));
    own.lists.set(key, { ids: listed, isStale, asked, asOf, tags: answer.tags ?? null });
  }

  /** True if what is known of an entity wins over a response. */
  isNewer(own, id, question, since, asOf, cursor) {
    const known = own.entities.get(id);
    if (known === undefined) return false;
    const writes = since.filter((one) => one.id === id);
    if (asOf !== null) {
      return known.generation === own.generation && known.sequence !== null && known.sequence > asOf
        || writes.some(({ is, sequence, generation }) => is === "write" && (sequence === null || generation !== own.generation));
    }
    const isAfter = (sequence) => sequence !== null && (cursor === null || sequence > cursor);
    return writes.some((one) => one.is === "write" || question.generation !== own.generation || isAfter(one.sequence)
      || one.asked > question.at && !(one.sequence !== null && cursor !== null && one.sequence < cursor));
  }
}
