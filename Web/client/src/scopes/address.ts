import { stringifyExact } from "../json/exact.js";
import { compareBytes } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";

/** A token, or a function that returns a new one each time. */
export type TokenSource = string | (() => Promise<string>);

/** Where a scope is, and with which token it is asked. A token is kept until the server refuses it. */
export class ScopeAddress {
  private readonly url: string;
  private readonly query: string;
  private held: Promise<string> | null = null;

  /** Creates the address of a scope. `params` are its values from the address, by name. */
  constructor(
    url: string, private readonly token: TokenSource, readonly name: string, params: Readonly<Record<string, string | number>>,
    private readonly fetch: typeof globalThis.fetch,
  ) {
    for (const param of ["after", "epoch"]) {
      if (param in params) throw new CacheError("invalid_params", `${param} is no parameter of a scope: the client sets it`);
    }
    this.url = `${url.replace(/\/$/, "")}/scopes/${encodeURIComponent(name)}`;
    const values = Object.entries(params).sort(([left], [right]) => compareBytes(left, right));
    this.query = values.map(([param, value]) => `${encodeURIComponent(param)}=${encodeURIComponent(String(value))}`).join("&");
  }

  /** A name for the scope with its parameters, the same in every session. */
  get label(): string { return this.query === "" ? this.name : `${this.name}?${this.query}`; }

  /** Requests the stream of lines behind a position; null requests a state. */
  stream(place: { epoch: string; sequence: number | bigint; } | null, signal: AbortSignal): Promise<Response> {
    const after = place === null ? "" : `after=${place.sequence}&epoch=${encodeURIComponent(place.epoch)}`;
    return this.request("", after, { headers: { Accept: "application/x-ndjson" }, signal });
  }

  /** Posts a body of JSON to a path below the scope. `more` is a further part of the query. */
  post(path: string, more: string, body: object): Promise<Response> {
    return this.request(path, more, { method: "POST", headers: { "Content-Type": "application/json" }, body: stringifyExact(body) });
  }

  /** Drops the token, because the server refused it. Returns false if there is no function that returns another one. */
  dropToken(): boolean {
    this.held = null;
    return typeof this.token !== "string";
  }

  /** Sends a request. If its token is refused, asks for another one, and sends it once more. */
  private async request(path: string, more: string, init: RequestInit): Promise<Response> {
    const query = [this.query, more].filter((part) => part !== "").join("&");
    const send = async (): Promise<Response> => this.fetch(`${this.url}${path}${query === "" ? "" : `?${query}`}`, {
      ...init, headers: { ...init.headers, Authorization: `Bearer ${await this.current()}` },
    });
    const response = await send();
    return response.status === 401 && this.dropToken() ? send() : response;
  }

  private current(): Promise<string> {
    if (typeof this.token === "string") return Promise.resolve(this.token);
    const held = this.held ?? this.token();
    this.held = held;
    held.catch(() => { if (this.held === held) this.held = null; });
    return held;
  }
}
