/** Quotes a word for a shell. */
function quoted(word: string): string { return `'${word.replace(/'/g, "'\\''")}'`; }

/** The token itself is not in the command: the user names the file that contains it. */
const HEADER = "-H \"Authorization: Bearer $(cat \"$TOKEN_FILE\")\"";

/**
 * Returns a curl command that reads an entity. `TOKEN_FILE` in it is the file with the server's token, by default
 * `cache.db.token`.
 */
export function entityCurl(server: string, library: string, key: string): string {
  const mark = key.indexOf(":");
  const path = `/entities/${encodeURIComponent(key.slice(0, mark))}/${encodeURIComponent(key.slice(mark + 1))}`;
  return `curl ${HEADER} ${quoted(`${server}${path}${library === "" ? "" : `?library_id=${encodeURIComponent(library)}`}`)}`;
}

/** Returns a curl command that calls a method. */
export function methodCurl(server: string, method: string, params: string): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
  return `curl ${HEADER} -H 'Content-Type: application/json' --data-raw ${quoted(body)} ${quoted(`${server}/rpc`)}`;
}
