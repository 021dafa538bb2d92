import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { test } from '../support/fixtures/test.ts';
import { startApp } from '../support/http/app.ts';
import { services } from '../support/tenants/member.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
/** Commands of the section with this title. */
const commandsOf = (title: string) =>
  page
    .split(`## ${title}\n`)[1]
    ?.split('\n## ')[0]
    ?.matchAll(/^```sh\n(.*?)^```/gms)
    .map(([, block = '']) => block)
    .toArray()
    .join('') ?? '';

// CI has curl and must run this test.
const isMissing = spawnSync('curl', ['--version']).error !== undefined;

describe.skipIf(isMissing && process.env['CI'] !== 'true')('docs/webhooks.md (needs curl)', () => {
  let server: Awaited<ReturnType<typeof startApp>>;
  beforeAll(async () => {
    server = await startApp({ services });
  });
  afterAll(() => server.stop());

  test('the commands create an endpoint, test it, give it a header, replay events and rotate its secret', async ({
    acme,
  }) => {
    const { key } = await acme.manage.apiKey.create({ name: 'Hooks', scopes: ['webhook:manage', 'audit:read'] });
    let webhook = '';
    const run = async (commands: string) => {
      const env = { ...process.env, API: server.url, KEY: key, WEBHOOK: webhook };
      const script = commands
        .replace(/^npx --no compliance.*$/m, '')
        .replaceAll('curl -sS', `curl -sS -w ' %{http_code}\\n'`);
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env });
      return stdout;
    };

    const [create = '', ...others] = commandsOf('Create an endpoint').split(/(?=^curl .*\/test")/m);
    const created = await run(create);
    expect(created).toMatch(/"secret":"whsec_[\w+/=]{44}"\} 201\n$/);
    webhook = /"uniqueId":"([^"]+)"/.exec(created)?.[1] ?? '';
    expect(await run(others.join(''))).toMatch(/^ 202\n 202\n\{.*"headers":\["Authorization"\].*\} 200\n$/);

    expect(await run(commandsOf('Deliveries and replay'))).toMatch(
      /^\{"items":\[\{"uniqueId":"[\w-]{36}","sequence":null,"type":"task\.update".*\} 200\n\{.*"enabled":true.*\} 200\n 202\n$/,
    );
    expect(await run(commandsOf('Rotate the secret'))).toMatch(/^\{"secret":"whsec_[\w+/=]{44}"\} 200\n$/);
  });
});
