import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { isUnfrozen } from '../company/closing.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { ApiKey } from './api-key.ts';

/** Days of usage that a client sees, today included. */
export const USAGE_DAYS = 30;
/** Days after which a row is deleted. */
const USAGE_RETENTION_DAYS = 31;

const apiKeyUsageSchema = defineEntity({
  name: 'ApiKeyUsage',
  properties: {
    ...companyKeyWithoutForeignKey,
    apiKey: () => companyReference(ApiKey, 'api_key_id').primary().deleteRule('no action'),
    /** Day in UTC. */
    day: p.date().primary(),
    requests: p.integer(),
    /** Responses with status 400 or higher, without those of the rate limit. */
    errors: p.integer(),
    /** Responses 429. */
    rateLimited: p.integer(),
  },
  ...tenantIsolation('select', 'insert', 'update', 'delete'),
  // Without company_id: the retention job looks for old rows of all companies at once.
  indexes: [{ name: 'api_key_usage_by_day', properties: ['day'] }],
});

/** Requests of an API key by day. Written in batches, outside requests. */
export class ApiKeyUsage extends apiKeyUsageSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
apiKeyUsageSchema.setClass(ApiKeyUsage);

/** Requests of one key on one day. */
interface UsageRow {
  day: string;
  requests: number;
  errors: number;
  rate_limited: number;
}

interface UsageBatch {
  companies: number[];
  keys: string[];
  days: string[];
  requests: number[];
  errors: number[];
  rateLimited: number[];
}

/** Adds the requests of many keys, in the order of the rows, so that two processes do not deadlock. Not audited. */
export const addUsage = defineStatement<UsageBatch, never>(
  'api-key.add-usage',
  ({
    companies,
    keys,
    days,
    requests,
    errors,
    rateLimited,
  }) => `insert into api_key_usage as u (company_id, api_key_id, day, requests, errors, rate_limited)
  select given.company_id, given.api_key_id, given.day, sum(given.requests), sum(given.errors), sum(given.rate_limited)
  from unnest(${companies}::int[], ${keys}::uuid[], ${days}::date[], ${requests}::int[], ${errors}::int[],
    ${rateLimited}::int[]) as given (company_id, api_key_id, day, requests, errors, rate_limited)
  join api_key k on k.company_id = given.company_id and k.unique_id = given.api_key_id
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (company_id, api_key_id, day) do update set requests = u.requests + excluded.requests,
    errors = u.errors + excluded.errors, rate_limited = u.rate_limited + excluded.rate_limited`,
  'all companies',
);

/** Requests of a key on each of the last days, oldest first, in UTC. No row if the company has no such key. */
export const keyUsage = readStatement<{ uniqueId: string }, UsageRow>(
  'api-key.usage',
  ({ company, uniqueId }) => `select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(u.requests, 0) as requests,
    coalesce(u.errors, 0) as errors, coalesce(u.rate_limited, 0) as rate_limited
  from api_key k
  cross join (select (now() at time zone 'utc')::date - age as day from generate_series(0, ${USAGE_DAYS - 1}) age) d
  left join api_key_usage u on u.company_id = k.company_id and u.api_key_id = k.unique_id and u.day = d.day
  where k.company_id = ${company} and k.unique_id = ${uniqueId} order by d.day`,
);

/** Deletes old days. Skips rows that another process is deleting. */
export const deleteOldUsage = retentionStatement('api-key.delete-old-usage', (limit) => [
  `delete from api_key_usage where (company_id, api_key_id, day) in (
    select company_id, api_key_id, day from api_key_usage
    where day < (now() at time zone 'utc')::date - ${USAGE_RETENTION_DAYS} and ${isUnfrozen('company_id')} limit ${limit} for update skip locked)`,
]);
