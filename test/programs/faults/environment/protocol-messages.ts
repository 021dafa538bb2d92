/**
 * A message of PostgreSQL's protocol, with the current statement of its connection.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export interface ProtocolMessage {
  from: 'service' | 'database';
  /** First byte of the message, a letter; empty for the startup message, which has none. */
  type: string;
  /** Name of the last prepared statement that was bound on this connection, or the text of the last simple query. */
  statement: string;
  /** Command tag of CommandComplete; empty for other messages. */
  commandTag: string;
  bytes: Buffer;
}

/** Splits the bytes of one connection into messages, in both directions. */
export class ProtocolParser {
  #statement = '';
  #isStarted = false;
  #clientBuffer: Buffer = Buffer.alloc(0);
  #serverBuffer: Buffer = Buffer.alloc(0);

  parseClient(bytes: Buffer): ProtocolMessage[] {
    const { messages, rest } = splitMessages(Buffer.concat([this.#clientBuffer, bytes]), !this.#isStarted);
    this.#clientBuffer = rest;
    return messages.map((message) => {
      const type = this.#isStarted ? String.fromCodePoint(message[0] ?? 0) : '';
      this.#isStarted = true;
      // Bind has the names of portal and statement, each ending in a zero byte. Query has the SQL text.
      if (type === 'B') this.#statement = message.toString('utf8', 5).split('\0')[1] ?? '';
      if (type === 'Q') this.#statement = message.toString('utf8', 5, message.length - 1);
      return { from: 'service', type, statement: this.#statement, commandTag: '', bytes: message };
    });
  }

  parseServer(bytes: Buffer): ProtocolMessage[] {
    const { messages, rest } = splitMessages(Buffer.concat([this.#serverBuffer, bytes]), false);
    this.#serverBuffer = rest;
    return messages.map((message) => {
      const type = String.fromCodePoint(message[0] ?? 0);
      const tag = type === 'C' ? message.toString('utf8', 5, message.length - 1) : '';
      return { from: 'database', type, statement: this.#statement, commandTag: tag, bytes: message };
    });
  }
}

/** @param isStartup true if the first message is the startup message, which has no letter before its length */
function splitMessages(bytes: Buffer, isStartup: boolean): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let offset = 0;
  for (let letterBytes = isStartup ? 0 : 1; offset + letterBytes + 4 <= bytes.length; letterBytes = 1) {
    const end = offset + letterBytes + bytes.readInt32BE(offset + letterBytes);
    if (end > bytes.length) break;
    messages.push(bytes.subarray(offset, end));
    offset = end;
  }
  return { messages, rest: bytes.subarray(offset) };
}
