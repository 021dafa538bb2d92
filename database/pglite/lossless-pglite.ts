import { PGlite, messages } from '@electric-sql/pglite';

const BYTE_ORDER_MARK = '\uFEFF';
const ENCODED_MARK = Buffer.from(BYTE_ORDER_MARK);
/** Type of a message with one row. https://www.postgresql.org/docs/current/protocol-message-formats.html */
const DATA_ROW = 'D'.charCodeAt(0);

type Stream = PGlite['execProtocolStream'];

/**
 * PGlite that returns text as it is stored. PGlite decodes each value with a `TextDecoder`, which drops U+FEFF at its
 * beginning. https://encoding.spec.whatwg.org/#dom-textdecoder-ignorebom
 */
export class LosslessPGlite extends PGlite {
  /** Every query of PGlite runs through this method. */
  override async execProtocolStream(...args: Parameters<Stream>): ReturnType<Stream> {
    const { messages: received, data } = await this.execProtocol(...args);
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (bytes.includes(ENCODED_MARK)) {
      restoreMarks(
        bytes,
        received.filter((message) => message instanceof messages.DataRowMessage),
      );
    }
    return received;
  }
}

/** Restores the dropped marks. `bytes` contains the messages from which the rows were decoded. */
function restoreMarks(bytes: Buffer, rows: messages.DataRowMessage[]): void {
  const remaining = rows.values();
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    if (bytes[at] !== DATA_ROW) continue;
    const fields = remaining.next().value?.fields ?? [];
    let start = at + 7; // after type, length and number of fields
    for (const [index, text] of fields.entries()) {
      const length = Math.max(0, bytes.readInt32BE(start)); // -1 for null
      start += 4;
      const hasMark = bytes.subarray(start, start + Math.min(length, ENCODED_MARK.length)).equals(ENCODED_MARK);
      if (hasMark) fields[index] = `${BYTE_ORDER_MARK}${text}`;
      start += length;
    }
  }
}
