import type { NormalizedCache } from "../engine/cache.js";

/** Feeds a cache from any asynchronous sequence of lines, bytes or events. Resolves when it ends. */
export async function feed(
  cache: NormalizedCache, source: AsyncIterable<string | Uint8Array | object>, signal?: AbortSignal,
): Promise<void> {
  for await (const piece of source) {
    if (signal?.aborted === true) return;
    cache.ingest(piece);
  }
}

/** Feeds a cache from a WebSocket whose messages are lines. Returns a function that ends it. */
export function feedWebSocket(cache: NormalizedCache, socket: WebSocket): () => void {
  socket.binaryType = "arraybuffer";
  const listen = ({ data }: MessageEvent<unknown>): void => {
    if (typeof data === "string") cache.ingest(data);
    else if (data instanceof ArrayBuffer) cache.ingest(ended(new Uint8Array(data)));
  };
  socket.addEventListener("message", listen);
  return () => socket.removeEventListener("message", listen);
}

/** Ends the last line of a message: each message holds whole lines. Bytes that are no UTF-8 stay as they are. */
function ended(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || bytes[bytes.length - 1] === 0x0a) return bytes;
  const lines = new Uint8Array(bytes.length + 1);
  lines.set(bytes);
  lines[bytes.length] = 0x0a;
  return lines;
}
