/** A message of PostgreSQL's protocol, with what was last asked on its line. */
export interface Message {
  from: 'service' | 'database';
  /** The letter that begins it; empty for the first, which has none. */
  type: string;
  /** The name of the statement that was last bound on this line, or the text that was last sent as it is. */
  asked: string;
  /** What a CommandComplete says was done. */
  tag: string;
  bytes: Buffer;
}

/** Takes the bytes of one line apart, in both directions. */
export class Messages {
  #asked = '';
  #isBegun = false;
  #ofService: Buffer = Buffer.alloc(0);
  #ofDatabase: Buffer = Buffer.alloc(0);

  ofService(bytes: Buffer): Message[] {
    const { parts, rest } = split(Buffer.concat([this.#ofService, bytes]), !this.#isBegun);
    this.#ofService = rest;
    return parts.map((part) => {
      const type = this.#isBegun ? String.fromCodePoint(part[0] ?? 0) : '';
      this.#isBegun = true;
      // Bind: portal, statement, each ending in 0. Query: the text.
      if (type === 'B') this.#asked = part.toString('utf8', 5).split('\0')[1] ?? '';
      if (type === 'Q') this.#asked = part.toString('utf8', 5, part.length - 1);
      return { from: 'service', type, asked: this.#asked, tag: '', bytes: part };
    });
  }

  ofDatabase(bytes: Buffer): Message[] {
    const { parts, rest } = split(Buffer.concat([this.#ofDatabase, bytes]), false);
    this.#ofDatabase = rest;
    return parts.map((part) => {
      const type = String.fromCodePoint(part[0] ?? 0);
      const tag = type === 'C' ? part.toString('utf8', 5, part.length - 1) : '';
      return { from: 'database', type, asked: this.#asked, tag, bytes: part };
    });
  }
}

/** @param isFirst whether the first of them has no letter in front of its length */
function split(bytes: Buffer, isFirst: boolean): { parts: Buffer[]; rest: Buffer } {
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
