import { refuseUnknown } from "../model/options.js";
import { journalStores } from "./journal.js";
import type { Journal, JournalBatch, JournalContents, JournalStore } from "./journal.js";

/** Why a journal cannot be opened, or why a commit failed. */
export type JournalErrorCode = "disk_full" | "newer_format" | "locked" | "closed" | "input_output";

/** Thrown when a journal cannot be opened or a commit fails. Nothing of the batch was written. */
export class JournalError extends Error {
  /** Creates an error with a code and a message. */
  constructor(readonly code: JournalErrorCode, message: string) {
    super(message);
    this.name = "JournalError";
  }
}

/** The options of an `IndexedDBJournal`. */
export interface IndexedDBOptions {
  /** The name of the database; `tidemark` by default. Only one cache writes it at a time. */
  name?: string;
  /**
   * What to do while another tab has the database: wait until that tab closes (the default), or fail with `locked`.
   * Without Web Locks there is no waiting: the program must make sure that only one tab writes.
   */
  whenLocked?: "wait" | "fail";
  /** Called when another page takes over the open database: one with a newer version, or one that deletes it. */
  onTaken?: () => void;
}

/** The version of the database format; an older page refuses a newer one. */
const FORMAT = 2;
/** Appended to a prefix, gives a key above every key with that prefix. */
const LAST = "\uffff";

/**
 * A journal in IndexedDB. Each flush is one transaction with strict durability: a tab that is killed between two
 * flushes loses nothing that was acknowledged, and applies nothing twice, since cursors are written with the data they
 * cover.
 *
 * ```ts
 * const cache = new NormalizedCache({ journal: new IndexedDBJournal({ name: "photos" }) });
 * await cache.ready;
 * ```
 */
export class IndexedDBJournal implements Journal {
  private readonly name: string;
  private readonly whenLocked: "wait" | "fail";
  private database: IDBDatabase | null = null;
  private releaseLock: (() => void) | null = null;
  private readonly waiting = new AbortController();
  private readonly onTaken: () => void;

  /** Creates a journal that is not open yet. Throws `invalid_params` for an option with an unknown name. */
  constructor(options: IndexedDBOptions = {}) {
    refuseUnknown(options, ["name", "whenLocked", "onTaken"]);
    this.name = options.name ?? "tidemark";
    this.whenLocked = options.whenLocked ?? "wait";
    this.onTaken = options.onTaken ?? (() => undefined);
  }

  /** Waits for the lock, opens the database and reads it. Rejects with a `JournalError`. */
  async open(): Promise<JournalContents> {
    if (typeof indexedDB === "undefined") {
      throw new JournalError("input_output", "there is no IndexedDB here: make the cache without a journal, or with another one");
    }
    await this.lock();
    try {
      this.database = await openedWhole(this.name);
    } catch (error) {
      this.unlock();
      throw error;
    }
    // A page that upgrades or deletes the database must not have to wait for this one.
    this.database.onversionchange = () => {
      this.drop();
      this.onTaken();
    };
    this.database.onclose = () => {
      this.drop();
      this.onTaken();
    };
    const transaction = this.database.transaction([...journalStores], "readonly");
    const contents = await Promise.all(journalStores.map((store) => all(transaction.objectStore(store))));
    const [entities, libraries, queries, layers, evicted, views] = contents;
    return { entities, libraries, queries, layers, evicted, views };
  }

  /** Writes a batch in one transaction with strict durability. Rejects with a `JournalError`. */
  async commit(batch: JournalBatch): Promise<void> {
    const database = this.database;
    if (database === null) throw new JournalError("closed", "another page took the database: reload this one");
    const names = new Set<JournalStore>([...batch.cleared.map(({ store }) => store), ...batch.writes.map(({ store }) => store)]);
    if (names.size === 0) return;
    try {
      const transaction = database.transaction([...names], "readwrite", { durability: "strict" });
      const done = finished(transaction);
      for (const { store, prefix } of batch.cleared) {
        transaction.objectStore(store).delete(IDBKeyRange.bound(prefix, prefix + LAST));
      }
      for (const { store, key, value } of batch.writes) {
        if (value === undefined) transaction.objectStore(store).delete(key);
        else transaction.objectStore(store).put(value, key);
      }
      await done;
    } catch (error) {
      throw journalError(error);
    }
  }

  /** Closes the database and releases its lock. */
  async close(): Promise<void> {
    this.waiting.abort();
    this.drop();
  }

  private drop(): void {
    this.database?.close();
    this.database = null;
    this.unlock();
  }

  /** Takes the lock of the database, which is held until the journal or the tab closes. */
  private async lock(): Promise<void> {
    const locks = (globalThis.navigator as Navigator | undefined)?.locks;
    if (locks === undefined) return;
    const isTaken = await new Promise<boolean>((resolve, reject) => {
      const how: LockOptions = this.whenLocked === "fail" ? { ifAvailable: true } : { signal: this.waiting.signal };
      locks.request(`tidemark:${this.name}`, how, (lock) => {
        if (lock === null) {
          resolve(false);
          return undefined;
        }
        return new Promise<void>((release) => {
          this.releaseLock = release;
          resolve(true);
        });
      }).catch(reject);
    });
    if (!isTaken) throw new JournalError("locked", `another tab has the database ${this.name}: close it, or wait for it`);
  }

  private unlock(): void {
    this.releaseLock?.();
    this.releaseLock = null;
  }
}

/** Opens the database. If a store is missing, it is created anew with the pending edits that can still be read. */
async function openedWhole(name: string): Promise<IDBDatabase> {
  const database = await opened(name);
  const { objectStoreNames } = database;
  if (journalStores.every((store) => objectStoreNames.contains(store))) return database;
  const layers = objectStoreNames.contains("layers")
    ? await all(database.transaction("layers", "readonly").objectStore("layers")) : new Map<string, unknown>();
  database.close();
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(journalError(request.error));
  });
  const fresh = await opened(name);
  const transaction = fresh.transaction("layers", "readwrite", { durability: "strict" });
  const done = finished(transaction);
  for (const [key, layer] of layers) transaction.objectStore("layers").put(layer, key);
  await done;
  return fresh;
}

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, FORMAT);
    request.onupgradeneeded = () => {
      for (const store of journalStores) if (!request.result.objectStoreNames.contains(store)) request.result.createObjectStore(store);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(journalError(request.error));
  });
}

function all(store: IDBObjectStore): Promise<Map<string, unknown>> {
  return new Promise((resolve, reject) => {
    const keys = store.getAllKeys();
    const values = store.getAll();
    values.onsuccess = () => resolve(new Map(keys.result.map((key, index) => [String(key), values.result[index] as unknown])));
    values.onerror = () => reject(journalError(values.error));
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error ?? new Error("a write failed"));
    transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was given up"));
  });
}

function journalError(error: unknown): JournalError {
  const { name, message } = error instanceof Error || error instanceof DOMException ? error : new Error(String(error));
  if (name === "QuotaExceededError") return new JournalError("disk_full", "there is no room for the cache on this device");
  if (name === "VersionError") return new JournalError("newer_format", "a newer version of the page wrote the database: reload this one");
  if (name === "InvalidStateError") return new JournalError("closed", "the database was closed: reload the page");
  return new JournalError("input_output", message);
}
