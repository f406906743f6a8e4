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
    // Each message holds whole lines: its end is the end of a line.
    else if (data instanceof ArrayBuffer) cache.ingest(new TextDecoder().decode(data));
  };
  socket.addEventListener("message", listen);
  return () => socket.removeEventListener("message", listen);
}
