// One person's cache: a shared and a private album, each a scope of the server, readable together and while offline.

/** What a person sees of an album. */
export const standings = { connecting: "Connecting", live: "Up to date", offline: "Offline", gone: "Not a member any more" };

/**
 * Opens a person's cache, and follows their albums.
 *
 * @param client The client's module.
 * @param serve The address of the server of scopes.
 * @param token Returns a token of the person.
 */
export function openPerson({ connectScope, joinScopes, NormalizedCache }, { serve, name, token, journal, random }) {
  const scopes = ["trip", `${name}-diary`].map((album) => connectScope(serve, token, { name: "album", params: { album }, ...random && { random } }));
  const joined = joinScopes(...scopes);
  const cache = new NormalizedCache({ journal, upstream: joined });
  const listeners = new Set();
  const standing = scopes.map(() => "connecting");
  let following = [];
  const stands = (index, value) => {
    standing[index] = value;
    for (const listener of listeners) listener();
  };
  const person = {
    name, cache, scopes, joined, standing,
    get isOffline() { return following.length === 0; },
    /** Follows all albums; one that is refused is asked for at the next connection. */
    connect() {
      const current = scopes.map((scope, index) => {
        stands(index, "connecting");
        const one = scope.follow(cache);
        one.ready.then(() => stands(index, "live"), () => undefined);
        one.ended.catch(({ status }) => stands(index, status === 403 ? "gone" : "offline"));
        return one;
      });
      following = current;
      // Edits are sent once each album is known: those of an album that is gone have failed by then.
      void Promise.allSettled(current.map(({ ready }) => ready)).then(() => following === current ? cache.calls.outbox.resume() : null);
    },
    /** Stops following. What the cache has stays readable. */
    disconnect() {
      void cache.calls.outbox.pause();
      for (const one of following) one.close();
      following = [];
      standing.forEach((value, index) => stands(index, value === "gone" ? value : "offline"));
    },
    /** Renames a photo: shown at once, and sent when the person is online. */
    rename(scope, photo, title) {
      return cache.calls.optimistic.update({
        library_id: scope.library, pending_id: globalThis.crypto.randomUUID(), changes: [{ op: "patch", resource_type: "photo", id: photo.id, fields: { title } }],
        send: { method: "photos.rename", input: { id: photo.id, title }, key: photo.id },
      });
    },
    /** Drops an edit that was refused, which is shown over the photo until then. */
    drop({ library_id, pending_id }) { return cache.calls.optimistic.rollback({ library_id, pending_id }); },
    onChange(listener) {
      listeners.add(listener);
      return () => { listeners.delete(listener); };
    },
    close() {
      person.disconnect();
      return cache.close();
    },
  };
  return person;
}
