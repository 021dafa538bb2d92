import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CONFIG = `[tsa]
serial = ./serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
[req]
distinguished_name = name
[name]
[extensions]
extendedKeyUsage = critical,timeStamping
`;

/** A timestamp of RFC 3161 of these bytes, by an authority that OpenSSL makes for it, with the certificate of that. */
export function makeTimestamp(bytes: Buffer): { response: Buffer; certificate: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'timestamp-'));
  try {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    writeFileSync(join(folder, 'config'), CONFIG);
    writeFileSync(join(folder, 'serial'), '01');
    writeFileSync(join(folder, 'data'), bytes);
    const subject = ['-subj', '/CN=Authority', '-config', 'config', '-extensions', 'extensions'];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key', '-out', 'certificate', ...subject);
    openssl('ts', '-query', '-data', 'data', '-sha256', '-cert', '-out', 'query');
    const authority = ['-inkey', 'key', '-signer', 'certificate', '-config', 'config', '-section', 'tsa'];
    openssl('ts', '-reply', '-queryfile', 'query', '-out', 'response', ...authority);
    return { response: readFileSync(join(folder, 'response')), certificate: readFileSync(join(folder, 'certificate')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
