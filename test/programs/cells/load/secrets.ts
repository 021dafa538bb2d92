import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** New secrets that two cells share. */
export const cellSecrets = () => ({
  CURSOR_SECRET: randomBytes(32).toString('base64'),
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SIGNING_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
});
