import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

// Prints what a fake cell sends as its directory, like `npx --no compliance directory export --follow`. Fails if the connection is lost.

const { values, positionals } = parseArgs({
  options: { server: { type: 'string' }, follow: { type: 'boolean' } },
  allowPositionals: true,
});
if (positionals.join(' ') !== 'directory export' || values.follow !== true)
  throw new Error(`unknown command ${positionals.join(' ')}`);
const token = process.env['OPERATOR_TOKEN'] ?? '';
const response = await fetch(`${values.server}/directory`, {
  headers: { Authorization: `Bearer ${token}` },
}).catch(() => undefined);
if (response?.body && response.ok)
  await pipeline(Readable.fromWeb(response.body), process.stdout).catch(() => {
    process.exitCode = 1;
  });
else process.exitCode = 1;
