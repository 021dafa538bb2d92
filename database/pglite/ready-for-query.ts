/** Type of ReadyForQuery. https://www.postgresql.org/docs/current/protocol-message-formats.html */
const READY_FOR_QUERY = 'Z'.charCodeAt(0);

/**
 * Joins the chunks of a response. After an error in the extended query protocol, PGlite sends one ReadyForQuery at once and another
 * for the Sync that follows; PostgreSQL sends only the latter. A client that sent further statements would take the first one for
 * the end of the next statement, so it is left out.
 */
export function joinResponse(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = Buffer.concat(chunks);
  const response = new Uint8Array(joined.length);
  let length = 0;
  /** Start of the messages that are not copied yet. */
  let pending = 0;
  for (let start = 0, end = 0; start < joined.length; start = end) {
    end = start + 1 + joined.readUInt32BE(start + 1);
    if (joined[start] !== READY_FOR_QUERY || joined[end] !== READY_FOR_QUERY) continue;
    response.set(joined.subarray(pending, start), length);
    length += start - pending;
    pending = end;
  }
  response.set(joined.subarray(pending), length);
  length += joined.length - pending;
  return length === response.length ? response : response.slice(0, length);
}
