/** Writes a word so that a shell takes it as it is. */
function quoted(word: string): string { return `'${word.replace(/'/g, "'\\''")}'`; }

/** The token is not written: who runs a command names the file that has it. */
const HEADER = "-H \"Authorization: Bearer $(cat \"$TOKEN_FILE\")\"";

/** A command that reads an entity from the server. `TOKEN_FILE` is the file of its token, by default `cache.db.token`. */
export function entityCurl(server: string, library: string, key: string): string {
  const mark = key.indexOf(":");
  const path = `/entities/${encodeURIComponent(key.slice(0, mark))}/${encodeURIComponent(key.slice(mark + 1))}`;
  return `curl ${HEADER} ${quoted(`${server}${path}${library === "" ? "" : `?library_id=${encodeURIComponent(library)}`}`)}`;
}

/** A command that asks a method. */
export function methodCurl(server: string, method: string, params: string): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
  return `curl ${HEADER} -H 'Content-Type: application/json' --data-raw ${quoted(body)} ${quoted(`${server}/rpc`)}`;
}
