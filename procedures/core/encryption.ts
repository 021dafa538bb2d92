import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Length of a key in bytes. */
export const ENCRYPTION_KEY_BYTES = 32;

interface Key {
  id: string;
  bytes: Buffer;
}

/**
 * Encrypts secrets that must be read again, with AES-256-GCM. A ciphertext is `v1.<key id>.<nonce, ciphertext and tag>`.
 * It is bound to its place (associated data), so that it cannot be moved to another row.
 * docs/people.md describes the rotation of keys.
 */
export class Encryption {
  readonly #keys: readonly [Key, ...Key[]];

  /** @param keys the first one encrypts; the others only decrypt what was encrypted before a rotation */
  constructor([first, ...others]: readonly [Buffer, ...Buffer[]]) {
    this.#keys = [toKey(first), ...others.map(toKey)];
  }

  /** @param place table, column and id of the row: `person.totp_secret:<uniqueId>` */
  encrypt(secret: string, place: string): string {
    const [{ id, bytes }] = this.#keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, bytes, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
    const encrypted = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${id}.${encrypted.toString('base64url')}`;
  }

  /** @throws Error if the key is unknown, or the ciphertext was changed or moved */
  decrypt(text: string, place: string): string {
    const [version, id, encoded = ''] = text.split('.');
    const key = this.#keys.find((known) => known.id === id);
    if (version !== 'v1' || key === undefined) throw new Error(`${place}: encrypted with an unknown key, ${id}`);
    const encrypted = Buffer.from(encoded, 'base64url');
    const nonce = encrypted.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(place))
      .setAuthTag(encrypted.subarray(-TAG_BYTES));
    return decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  /** Ids of the keys that decrypt. They reveal nothing about the keys. */
  get keyIds(): string[] {
    return this.#keys.map(({ id }) => id);
  }

  /** True if the text was encrypted with the first key. */
  isCurrent(text: string): boolean {
    return text.split('.')[1] === this.#keys[0].id;
  }
}

/** The id of a key is the beginning of its hash. */
const toKey = (bytes: Buffer): Key => ({ id: hash('sha256', bytes).slice(0, 8), bytes });

// Places of encrypted columns.
export const totpSecretPlace = (person: string) => `person.totp_secret:${person}`;
export const clientSecretPlace = (company: number) => `sso.client_secret:${company}`;
export const webhookSecretPlace = (webhook: string) => `webhook.secret:${webhook}`;
export const webhookHeadersPlace = (webhook: string) => `webhook.headers:${webhook}`;
export const queuedMailPlace = (mail: string) => `queued_mail.content:${mail}`;
