import { defineStatement, readStatement } from '../statements/define-statement.ts';
import type { WebhookKey } from './endpoint.ts';

/** Encrypted secrets of an endpoint. */
export interface WebhookSecrets extends WebhookKey {
  company: number;
  secret: string;
  previousSecret: string | null;
  encryptedHeaders: string | null;
}

/** Encrypted secrets of the endpoints of all companies. */
export const listWebhookSecrets = readStatement<object, WebhookSecrets>(
  'webhook.secrets',
  `select company_id as company, unique_id as webhook, secret, previous_secret as "previousSecret",
    encrypted_headers as "encryptedHeaders"
  from webhook order by company_id, unique_id`,
  'all companies',
);

/** Replaces a secret of an endpoint of the company wherever it is stored. No row if it was changed meanwhile. */
export const replaceWebhookSecret = defineStatement<WebhookKey & { before: string; after: string }, WebhookKey>(
  'webhook.replace-secret',
  ({ company, webhook, before, after }) => `update webhook
  set secret = case secret when ${before} then ${after} else secret end,
    previous_secret = case previous_secret when ${before} then ${after} else previous_secret end,
    encrypted_headers = case encrypted_headers when ${before} then ${after} else encrypted_headers end
  where company_id = ${company} and unique_id = ${webhook} and ${before} in (secret, previous_secret, encrypted_headers)
  returning unique_id as webhook`,
);
