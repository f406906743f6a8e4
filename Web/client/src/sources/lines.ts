import type { NormalizedCache } from "../cache/cache.js";

/**
 * Feeds a cache from an asynchronous sequence of lines, bytes or events. Resolves when the sequence ends, or at the
 * next element after `signal` is aborted.
 *
 * ```ts
 * async function* events() {
 *   yield { sequence: 1, event: { ResourceChanged: { resource_type: "file", resource: { id: "f1" } } } };
 * }
 * await feed(cache, events());
 * ```
 */
export async function feed(
  cache: NormalizedCache, source: AsyncIterable<string | Uint8Array | object>, signal?: AbortSignal,
): Promise<void> {
  for await (const piece of source) {
    if (signal?.aborted === true) return;
    cache.ingest(piece);
  }
}

/** Feeds a cache from a WebSocket whose messages consist of whole lines. Returns a function that stops it. */
export function feedWebSocket(cache: NormalizedCache, socket: WebSocket): () => void {
  socket.binaryType = "arraybuffer";
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (typeof data === "string") cache.ingest(data);
    else if (data instanceof ArrayBuffer) cache.ingest(ended(new Uint8Array(data)));
  };
  socket.addEventListener("message", listen);
  return () => socket.removeEventListener("message", listen);
}

/** Adds an LF to a message's last line if it has none. Does not decode: invalid UTF-8 stays as it is. */
function ended(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || bytes[bytes.length - 1] === 0x0a) return bytes;
  const lines = new Uint8Array(bytes.length + 1);
  lines.set(bytes);
  lines[bytes.length] = 0x0a;
  return lines;
}
