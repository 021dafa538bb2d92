import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';
import { execFileAsync } from '../servers/service-process.ts';

// A time-stamp authority that signs with `openssl ts -reply`, and its certificates. https://docs.openssl.org/3.0/man1/openssl-ts/

const CONFIGURATION = (folder: string) => `
[tsa]
default_tsa = config
[config]
serial = ${folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
[v3_ca]
basicConstraints = critical,CA:true
`;

/** Extended key usages of the certificates by name. Only that of `valid` is as RFC 3161 requires. */
const USAGES = {
  valid: 'critical,timeStamping',
  uncritical: 'timeStamping',
  several: 'critical,timeStamping,clientAuth',
  without: 'critical,clientAuth',
};
export type TimestampCertificate = keyof typeof USAGES;

/** Makes an authority for certificates, and a certificate with each usage. */
export async function createTimestampAuthority() {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-tsa-'));
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileAsync('openssl', args, { cwd: folder });
  await writeFile(path('tsa.cnf'), CONFIGURATION(folder));
  await writeFile(path('serial'), '01\n');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=CA', '-days', '2');
  for (const [name, usage] of Object.entries(USAGES)) {
    await openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    await writeFile(path(`${name}.ext`), `extendedKeyUsage=${usage}\nkeyUsage=critical,digitalSignature\n`);
    await openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`],
    );
  }

  /** Signs a request. */
  async function reply(query: Buffer): Promise<Buffer> {
    await writeFile(path('query.tsq'), query);
    const files = ['-queryfile', 'query.tsq', '-out', 'reply.tsr', '-signer', 'valid.pem', '-inkey', 'valid.key'];
    await openssl('ts', '-reply', '-config', 'tsa.cnf', ...files);
    return readFile(path('reply.tsr'));
  }

  /** Signs a request with another certificate, with which `openssl ts` refuses to sign. */
  async function replyAs(query: Buffer, name: TimestampCertificate): Promise<Buffer> {
    await reply(query);
    await openssl('ts', '-reply', '-in', 'reply.tsr', '-token_out', '-out', 'token.der');
    await openssl('cms', '-verify', '-noverify', '-inform', 'DER', '-in', 'token.der', '-out', 'content.der');
    const signer = ['-signer', `${name}.pem`, '-inkey', `${name}.key`, '-md', 'sha256', '-binary', '-nodetach'];
    const content = ['-in', 'content.der', '-econtent_type', '1.2.840.113549.1.9.16.1.4'];
    await openssl('cms', '-sign', ...content, ...signer, '-outform', 'DER', '-out', 'token.der');
    await openssl('ts', '-reply', '-in', 'token.der', '-token_in', '-out', 'reply.tsr');
    return readFile(path('reply.tsr'));
  }

  return {
    reply,
    replyAs,
    openssl,
    path,
    /** Makes a request for a time stamp of other data, or with another nonce. */
    query: async (data: string, ...options: string[]) => {
      await writeFile(path('data'), data);
      await openssl('ts', '-query', '-data', 'data', '-sha256', '-cert', '-out', 'other.tsq', ...options);
      return readFile(path('other.tsq'));
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Starts a server that responds to requests for time stamps. */
export async function startTimestampServer(respond: (query: Buffer) => Promise<Buffer> | RequestListener) {
  const server = createServer((request, response) => {
    void buffer(request).then(async (query) => {
      const responded = respond(query);
      if (typeof responded === 'function') responded(request, response);
      else response.writeHead(200, { 'Content-Type': 'application/timestamp-reply' }).end(await responded);
    });
  });
  return listen(server);
}
