import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { isUnfrozen } from '../company/closing.ts';
import { LAST_ID } from '../ids.ts';
import { defineStatement, readStatement, retentionStatement } from '../statements/define-statement.ts';
import { ApiKey } from './api-key.ts';

/** Requests that a client sees: the last ones of a key, of at most the last day. */
export const LISTED_REQUESTS = { perKey: 1000, maxAgeHours: 24 } as const;

/** Maximum lengths, in characters. Longer paths are truncated. */
export const MAX_LENGTHS = { method: 20, path: 2048, code: 50, requestId: 128 } as const;

const apiKeyRequestSchema = defineEntity({
  name: 'ApiKeyRequest',
  properties: {
    ...companyKeyWithoutForeignKey,
    apiKey: () => companyReference(ApiKey, 'api_key_id').primary().deleteRule('no action'),
    /** Arrival of the request. */
    at: p.datetime(3).primary(),
    uniqueId: p.uuid().primary(),
    method: p.string().length(MAX_LENGTHS.method),
    /** Without the query, which may hold texts that people search for. */
    path: p.string().length(MAX_LENGTHS.path),
    /** Null if the connection closed before the response began. */
    status: p.integer().nullable(),
    /** Error code of the response. */
    code: p.string().length(MAX_LENGTHS.code).nullable(),
    requestId: p.string().length(MAX_LENGTHS.requestId),
    durationMs: p.integer(),
  },
  ...tenantIsolation('select', 'insert', 'delete'),
  // Without company_id: the retention job looks for old rows of all companies at once.
  indexes: [{ name: 'api_key_request_by_time', properties: ['at'] }],
});

/** A request with an API key, for the people who debug an integration. Written in batches, outside requests. Not audited. */
export class ApiKeyRequest extends apiKeyRequestSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
apiKeyRequestSchema.setClass(ApiKeyRequest);

/** A request, as it is stored. */
export interface RequestRow {
  uniqueId: string;
  at: string;
  method: string;
  path: string;
  status: number | null;
  code: string | null;
  requestId: string;
  durationMs: number;
}

/** Requests of many keys. The nth entries of the lists belong to one request. */
type RequestBatch = { [Name in keyof RequestRow]: RequestRow[Name][] } & {
  companies: number[];
  keys: string[];
  /** Keys of which the oldest requests are deleted, each with its company. */
  prunedCompanies: number[];
  prunedKeys: string[];
};

const MAX_AGE = `interval '${LISTED_REQUESTS.maxAgeHours} hours'`;

/**
 * Adds requests of many keys, and deletes those beyond the last ones of some keys. What it adds is deleted by a later call at the
 * earliest, because a statement does not see its own rows. A repeated call adds nothing twice.
 */
export const addRequests = defineStatement<RequestBatch, never>(
  'api-key.add-requests',
  ({
    companies,
    keys,
    uniqueId,
    at,
    method,
    path,
    status,
    code,
    requestId,
    durationMs,
    prunedCompanies,
    prunedKeys,
  }) => `with excess as materialized (
    select k.company_id, k.api_key_id, newest.at, newest.unique_id
    from unnest(${prunedCompanies}::int[], ${prunedKeys}::uuid[]) k (company_id, api_key_id)
    cross join lateral (
      select o.at, o.unique_id from api_key_request o where o.company_id = k.company_id and o.api_key_id = k.api_key_id
      order by o.at desc, o.unique_id desc offset ${LISTED_REQUESTS.perKey} limit 1) newest),
  pruned as (
    delete from api_key_request r using excess
    where r.company_id = excess.company_id and r.api_key_id = excess.api_key_id
      and (r.at, r.unique_id) <= (excess.at, excess.unique_id))
  insert into api_key_request (company_id, api_key_id, at, unique_id, method, path, status, code, request_id, duration_ms)
  select given.* from unnest(${companies}::int[], ${keys}::uuid[], ${at}::timestamptz[], ${uniqueId}::uuid[], ${method}::text[],
    ${path}::text[], ${status}::int[], ${code}::text[], ${requestId}::text[], ${durationMs}::int[])
    as given (company_id, api_key_id, at, unique_id, method, path, status, code, request_id, duration_ms)
  join api_key k on k.company_id = given.company_id and k.unique_id = given.api_key_id
  on conflict do nothing`,
  'all companies',
);

/** Position in the requests of a key, which are ordered by both. */
type RequestPosition = Pick<RequestRow, 'at' | 'uniqueId'>;

/** Position before the newest request. */
export const NEWEST_REQUEST: RequestPosition = { at: 'infinity', uniqueId: LAST_ID };

/** The last requests of a key, newest first, after a position. */
export const pageRequests = readStatement<RequestPosition & { apiKey: string; limit: number }, RequestRow>(
  'api-key.requests',
  ({ company, apiKey, at, uniqueId, limit }) => `select * from (
    select unique_id as "uniqueId", at, method, path, status, code, request_id as "requestId", duration_ms as "durationMs"
    from api_key_request
    where company_id = ${company} and api_key_id = ${apiKey}::uuid and at > now() - ${MAX_AGE}
    order by at desc, unique_id desc limit ${LISTED_REQUESTS.perKey}) last
  where (at, "uniqueId") < (${at}::timestamptz, ${uniqueId}::uuid)
  order by at desc, "uniqueId" desc limit ${limit}::int`,
);

/** Deletes requests that no list shows any more. */
export const deleteOldRequests = retentionStatement('api-key.delete-old-requests', (limit) => [
  `delete from api_key_request where (company_id, api_key_id, at, unique_id) in (
    select company_id, api_key_id, at, unique_id from api_key_request
    where at < now() - ${MAX_AGE} and ${isUnfrozen('company_id')} limit ${limit})`,
]);
