import { hash, randomBytes } from 'node:crypto';

/** A random secret of 256 bits in base64url, and the SHA-256 hash that is stored in its place. */
export interface Token {
  token: string;
  tokenHash: Buffer;
}

export function generateToken(): Token {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');
