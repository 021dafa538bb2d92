import { randomUUID } from 'node:crypto';

/** Integer ids are positive and 32-bit. */
export const MAX_ID = 2_147_483_647;

const UNIQUE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A new public id of a task, vendor, key or user: UUIDv7 text. Node 24 makes none; of its UUIDv4 the random bits stay. */
export function newUniqueId(): string {
  const now = Date.now().toString(16).padStart(12, '0');
  return `${now.slice(0, 8)}-${now.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Whether text could be a public id; what could not is not found, and never reaches the database. */
export const isUniqueId = (text: string): boolean => UNIQUE_ID.test(text);

/** Whether a number could be an integer id. */
export const isId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= MAX_ID;
