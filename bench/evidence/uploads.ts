import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const MIB = 1024 * 1024;
const BLOCK = randomBytes(MIB);

/** Sends a file of random bytes, another one each time. */
async function uploadFile(
  url: string,
  agent: Agent,
  headers: Record<string, string>,
  mebibytes: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const length = { 'Content-Length': String(mebibytes * MIB) };
  const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += String(chunk)));
    response.on('end', () => (response.statusCode === 201 ? resolve() : reject(new Error(`upload: ${text}`))));
    response.on('error', reject);
  }).on('error', reject);
  for (let block = 0; block < mebibytes; block += 1) {
    const bytes = block === 0 ? Buffer.concat([randomBytes(16), BLOCK.subarray(16)]) : BLOCK;
    if (!sent.write(bytes)) await Promise.race([once(sent, 'drain'), promise]);
  }
  sent.end();
  return promise;
}

/** Sends files, some of them at the same time. @returns MiB per second */
export async function uploadFiles(
  urlOf: (index: number) => string,
  headers: Record<string, string>,
  { files, clients, mebibytes }: { files: number; clients: number; mebibytes: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const startedAt = performance.now();
  const client = async () => {
    while (next < files) {
      next += 1;
      await uploadFile(urlOf(next), agent, headers, mebibytes);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return (files * mebibytes * 1000) / (performance.now() - startedAt);
}

/** Starts a server in another process that only writes bodies to the disk. */
export async function startPlainServer() {
  const server = spawn(process.execPath, [join(import.meta.dirname, 'plain-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface(server.stdout), 'line');
  const exited = once(server, 'exit');
  const stop = async () => {
    server.kill();
    await exited;
  };
  return { url: z.string().parse(url), stop };
}
