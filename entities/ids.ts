import { randomUUID } from 'node:crypto';

/** Stands for "no framework". No framework has this id. */
export const NO_FRAMEWORK = 0;

/** Integer ids are positive and 32-bit. */
export const MAX_ID = 2_147_483_647;

/** Values that sort before and after every public id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const UNIQUE_ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let lastTimestampMs = 0;
let sequence = 0;

/**
 * Generates a public id of a task, vendor, key or user: UUIDv7 text, which Node 24 cannot generate. Ids of one process ascend:
 * within a millisecond a counter starts at a random number (RFC 9562, section 6.2, method 1). The other bits come from a UUIDv4.
 */
export function newUniqueId(): string {
  const random = randomUUID();
  const nowMs = Date.now();
  if (nowMs > lastTimestampMs) {
    lastTimestampMs = nowMs;
    sequence = Number.parseInt(random.slice(15, 18), 16) % 0x800;
  } else if ((sequence += 1) > 0xfff) {
    lastTimestampMs += 1;
    sequence = 0;
  }
  const timestampHex = lastTimestampMs.toString(16).padStart(12, '0');
  return `${timestampHex.slice(0, 8)}-${timestampHex.slice(8)}-7${sequence.toString(16).padStart(3, '0')}${random.slice(18)}`;
}

/** Checks the format of a public id. Malformed ids are not found, without a database query. */
export const isUniqueId = (text: string): boolean => UNIQUE_ID_PATTERN.test(text);

/** Checks the range of an integer id. */
export const isId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= MAX_ID;
