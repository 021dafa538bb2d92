import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
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
