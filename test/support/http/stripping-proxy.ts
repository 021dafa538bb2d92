import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from './listen.ts';

/** Makes a certificate that nobody has signed, and its key. */
function makeCertificate(host: string): { cert: Buffer; key: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const [cert, key] = [join(folder, 'certificate'), join(folder, 'key')];
    const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...algorithm, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Starts a proxy that takes https, and sends requests on over http without the headers of Fetch Metadata.
 * @param host name of the certificate
 * @param target URL of the server
 */
export async function startStrippingProxy(host: string, target: () => string) {
  const server = createServer(makeCertificate(host), (incoming, outgoing) => {
    const { hostname, port } = new URL(target());
    const kept = Object.entries(incoming.headers).filter(([name]) => !name.startsWith('sec-fetch-'));
    const headers = {
      ...Object.fromEntries(kept),
      'x-forwarded-for': incoming.socket.remoteAddress,
      'x-forwarded-proto': 'https',
    };
    const { method, url: path } = incoming;
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  const { port, stop } = await listen(server);
  return {
    port,
    stop: () => {
      server.closeAllConnections();
      stop();
    },
  };
}
