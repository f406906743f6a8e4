// Shared and private albums of two people: which scopes there are, who is a member of which album, and the service that
// performs their edits. Only `tidemark serve` delivers scopes, so this part needs a command.

import { createHmac, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The library of the albums. */
const LIBRARY = "albums";
/** The most edits whose answers are remembered. */
const ANSWER_COUNT_MAX = 10_000;

/** What each person may see: the albums of which they are a member, without the places of the photos. */
const scopes = {
  scopes: {
    album: {
      library: LIBRARY,
      params: { me: { claim: "sub" }, album: { query: "string" } },
      require: [{ type: "member", on: { "/user": { param: "me" }, "/album": { param: "album" } } }],
      types: {
        album: { where: { path: "/id", eq: { param: "album" } } },
        photo: { where: { path: "/album", eq: { param: "album" } }, without: ["place"] },
      },
    },
  },
};

const coded = (bytes) => Buffer.from(bytes).toString("base64url");

/** The albums, and who sees them. */
export class Albums {
  /** @param publish Receives each change as an event. */
  constructor(publish) {
    this.publish = publish;
    this.key = randomBytes(32);
    this.entities = new Map();
    this.photoCount = 0;
    this.answers = new Map();
  }

  /** Writes the files of scopes and keys to a folder. Returns the options of `tidemark serve`. */
  options(folder, url) {
    const [file, keys] = ["scopes.json", "keys.json"].map((name) => join(folder, name));
    writeFileSync(file, JSON.stringify(scopes));
    writeFileSync(keys, JSON.stringify({ keys: [{ kty: "oct", k: coded(this.key) }] }), { mode: 0o600 });
    return ["--scopes", file, "--jwt-keys", keys, "--edits", `${url}/albums/edits`];
  }

  /** A token for ten minutes. A real service makes one when somebody has signed in. */
  token(name) {
    const parts = [{ alg: "HS256", typ: "JWT" }, { sub: name, exp: Math.floor(Date.now() / 1_000) + 600 }];
    const text = parts.map((part) => coded(JSON.stringify(part))).join(".");
    return `${text}.${createHmac("sha256", this.key).update(text).digest("base64url")}`;
  }

  /** Publishes the albums and photos with which the example begins. */
  async begin() {
    const albums = { trip: ["Our trip", ["ann", "ben"]], "ann-diary": ["Ann's diary", ["ann"]], "ben-diary": ["Ben's diary", ["ben"]] };
    for (const [id, [title, members]] of Object.entries(albums)) {
      await this.change("album", { id, title });
      for (const user of members) await this.let(user, id);
    }
    for (const [album, title] of [["trip", "Harbour"], ["trip", "Dunes"], ["ann-diary", "Letter"], ["ben-diary", "Receipt"]]) await this.add(album, title);
  }

  /** Makes somebody a member of an album. */
  let(user, album) { return this.change("member", { id: `${user}-${album}`, user, album }); }

  /** Ends somebody's membership. */
  remove(user, album) {
    this.entities.delete(`member:${user}-${album}`);
    return this.publish({ library_id: LIBRARY, event: { ResourceDeleted: { resource_type: "member", resource_id: `${user}-${album}` } } });
  }

  /** Adds a photo to an album. */
  add(album, title) {
    const number = this.photoCount += 1;
    return this.change("photo", { id: `s${number}`, album, title, scene: number * 3, place: "41.15 N 8.61 W" });
  }

  change(type, entity, mutation_id) {
    this.entities.set(`${type}:${entity.id}`, entity);
    const metadata = mutation_id === undefined ? {} : { metadata: { mutation_id } };
    return this.publish({ library_id: LIBRARY, ...metadata, event: { ResourceChanged: { resource_type: type, resource: entity } } });
  }

  /** Performs an edit once. The claims are those of a token that the server has checked. */
  async perform({ pending_id, method, input, claims }) {
    const key = `${claims.sub}:${pending_id}`;
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const photo = this.entities.get(`photo:${input?.id}`);
    if (method !== "photos.rename" || photo === undefined || !this.entities.has(`member:${claims.sub}-${photo.album}`)) {
      throw Object.assign(new Error("that photo cannot be renamed"), { data: { code: "not_allowed" } });
    }
    await this.change("photo", { ...photo, title: String(input.title).slice(0, 80) }, pending_id);
    const answer = { confirmed: [this.entities.get(`photo:${input.id}`)] };
    this.answers.set(key, answer);
    if (this.answers.size > ANSWER_COUNT_MAX) this.answers.delete(this.answers.keys().next().value);
    return answer;
  }

  /** Answers a request below `/albums`, those of the server and those of the page's buttons. */
  async answer(path, text) {
    const message = JSON.parse(text || "{}");
    switch (path) {
      case "/albums/edits":
        try {
          return { jsonrpc: "2.0", id: message.id, result: await this.perform(message.params ?? {}) };
        } catch (error) {
          return { jsonrpc: "2.0", id: message.id, error: { code: -32000, message: error.message, data: error.data } };
        }
      // Whoever asks is believed here: it is where a real service would ask for a password.
      case "/albums/token": return { token: this.token(message.name) };
      case "/albums/add": await this.add(message.album, message.title); return {};
      case "/albums/let": await this.let(message.user, message.album); return {};
      case "/albums/remove": await this.remove(message.user, message.album); return {};
      default: throw Object.assign(new Error("there is nothing here"), { status: 404 });
    }
  }
}
