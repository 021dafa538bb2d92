import { demoMessage } from '../../procedures/demo/demo-data.ts';
import { isLoopbackUrl } from '../../procedures/sign-in/issuer.ts';
import { isSecure } from '../auth/cookies.ts';
import type { Settings } from '../config/settings.ts';
import type { Service } from './service.ts';

/** Text for the operator once the service listens. */
export function startupMessage(
  { url, appUrl, metricsUrl, demo }: Omit<Service, 'stop'>,
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  workers: number | undefined,
): string {
  const lines = [
    `Listening on   ${url}`,
    `Documentation  ${url}/docs`,
    `Data           ${databaseUrl === undefined ? dataDir : 'PostgreSQL (DATABASE_URL)'}`,
    ...(workers === undefined ? [] : [`Workers        ${workers}`]),
    ...(metricsUrl === undefined ? [] : [`Metrics        ${metricsUrl}`]),
    ...(isSecure(new URL(appUrl)) || isLoopbackUrl(appUrl) ? [] : [`Cookies        ${unprotected(appUrl)}`]),
    'Manage         npx --no compliance',
  ];
  if (demo !== undefined) lines.push('', ...demoMessage(demo, { url, appUrl }));
  return `${lines.join('\n')}\n`;
}

/** Over http everybody between a browser and the server reads them, and there are no passkeys. */
const unprotected = (appUrl: string) =>
  `not protected: anyone who can see the traffic to ${appUrl} can act as a signed-in person; use https`;
