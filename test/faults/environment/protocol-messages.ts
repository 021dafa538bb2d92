/** A message of PostgreSQL's protocol, with what was last asked on its line. */
export interface ProtocolMessage {
  from: 'service' | 'database';
  /** The letter that begins it; empty for the first, which has none. */
  type: string;
  /** The name of the statement that was last bound on this line, or the text that was last sent as it is. */
  statement: string;
  /** What a CommandComplete says was done. */
  commandTag: string;
  bytes: Buffer;
}

/** Takes the bytes of one line apart, in both directions. */
export class ProtocolParser {
  #statement = '';
  #isStarted = false;
  #clientBuffer: Buffer = Buffer.alloc(0);
  #serverBuffer: Buffer = Buffer.alloc(0);

  parseClient(bytes: Buffer): ProtocolMessage[] {
    const { parts, rest } = splitMessages(Buffer.concat([this.#clientBuffer, bytes]), !this.#isStarted);
    this.#clientBuffer = rest;
    return parts.map((part) => {
      const type = this.#isStarted ? String.fromCodePoint(part[0] ?? 0) : '';
      this.#isStarted = true;
      // Bind: portal, statement, each ending in 0. Query: the text.
      if (type === 'B') this.#statement = part.toString('utf8', 5).split('\0')[1] ?? '';
      if (type === 'Q') this.#statement = part.toString('utf8', 5, part.length - 1);
      return { from: 'service', type, statement: this.#statement, commandTag: '', bytes: part };
    });
  }

  parseServer(bytes: Buffer): ProtocolMessage[] {
    const { parts, rest } = splitMessages(Buffer.concat([this.#serverBuffer, bytes]), false);
    this.#serverBuffer = rest;
    return parts.map((part) => {
      const type = String.fromCodePoint(part[0] ?? 0);
      const tag = type === 'C' ? part.toString('utf8', 5, part.length - 1) : '';
      return { from: 'database', type, statement: this.#statement, commandTag: tag, bytes: part };
    });
  }
}

/** @param isFirst whether the first of them has no letter in front of its length */
function splitMessages(bytes: Buffer, isFirst: boolean): { parts: Buffer[]; rest: Buffer } {
  const parts: Buffer[] = [];
  let at = 0;
  for (let letter = isFirst ? 0 : 1; at + letter + 4 <= bytes.length; letter = 1) {
    const end = at + letter + bytes.readInt32BE(at + letter);
    if (end > bytes.length) break;
    parts.push(bytes.subarray(at, end));
    at = end;
  }
  return { parts, rest: bytes.subarray(at) };
}
