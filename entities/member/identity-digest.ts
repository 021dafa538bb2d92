import { createHash, randomBytes } from 'node:crypto';

/** Length of a digest in characters: a SHA-256 in hexadecimal. */
export const IDENTITY_LENGTH = 64;
export const SHA256_PATTERN = `^[0-9a-f]{${IDENTITY_LENGTH}}$`;
const SALT_BYTES = 16;
/** Length of a salt in characters. */
export const SALT_LENGTH = SALT_BYTES * 2;

/** Name and email of a member at a time. An invitation has an empty name. */
export interface NameAndEmail {
  name: string;
  email: string;
}

/** A digest and what opens it. */
export interface OpenIdentity extends NameAndEmail {
  /** SHA-256 in hexadecimal: in events. */
  identity: string;
  /** 16 random bytes in hexadecimal: without it, nobody finds out the name by guessing. */
  salt: string;
}

/** The digest of a name and an email in events. Contract, section 26. */
const identityDigest = ({ salt, name, email }: Omit<OpenIdentity, 'identity'>): string =>
  createHash('sha256').update(`${salt}\n${name}\n${email}`, 'utf8').digest('hex');

/** Makes the digest for an event, with a new salt. */
export function newIdentity({ name, email }: NameAndEmail): OpenIdentity {
  const salt = randomBytes(SALT_BYTES).toString('hex');
  return { name, email, salt, identity: identityDigest({ salt, name, email }) };
}
