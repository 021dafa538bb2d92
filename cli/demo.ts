import { initTRPC } from '@trpc/server';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import { DemoOutput } from '../procedures/demo/router.ts';
import { ConfigError } from '../server/config/settings.ts';
import type { CallServer } from './remote.ts';

interface DemoOptions {
  call: CallServer;
  /** Value of `--company`. */
  company: string | undefined;
  /** URL of the server. */
  server: string;
  isTerminal: boolean;
}

/** Creates the command that creates a company with invented data. */
export function demoCommands({ call, company, server, isTerminal }: DemoOptions) {
  const t = initTRPC.meta<Meta>().create();
  return {
    create: t.procedure
      .meta({ description: 'Create a company with a year of invented data; --company is its name' })
      .mutation(async () => {
        if (company === undefined) throw new ConfigError('--company: expected the name of the company to create');
        const demo = DemoOutput.parse(await call('demo.create', { name: company }));
        return isTerminal ? message(demo, server) : demo;
      }),
  };
}

/** Lines that show the secrets, and what to do next. */
function message({ id, name, appUrl, members, keys }: DemoOutput, server: string): string {
  const width = Math.max(...members.map(({ email }) => email.length));
  return [
    `Created the company ${name} with the id ${id}. These secrets are shown only this once.`,
    '',
    `Sign in at ${appUrl} as`,
    ...members.map(({ email, password, role }) => `  ${email.padEnd(width)}  ${password}  (${role})`),
    '',
    'API keys:',
    ...keys.map((key) => `  ${key.key}  (${key.name})`),
    '',
    'Try it:',
    `  curl ${server}/external/smart-inventory/vendor/list -H 'X-API-Key: ${keys[0]?.key ?? ''}'`,
    '',
    `Remove it: npx --no compliance company close --company ${id} --name '${name}', then company erase.`,
  ].join('\n');
}
