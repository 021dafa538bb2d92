import { defineEntity, p } from '@mikro-orm/core';
import { companyKeyWithoutForeignKey, companyReference, tenantIsolation } from '../schema/tenancy.ts';
import { ApiKey } from './api-key.ts';

/** Days of usage that a client sees, today included. */
export const USAGE_DAYS = 30;
/** Days after which a row is deleted. */
export const USAGE_RETENTION_DAYS = 31;

const apiKeyUsageSchema = defineEntity({
  name: 'ApiKeyUsage',
  properties: {
    ...companyKeyWithoutForeignKey,
    apiKey: () => companyReference(ApiKey, 'api_key_id').primary().deleteRule('no action'),
    /** Day in UTC. */
    day: p.date().primary(),
    requests: p.integer(),
    /** Responses from 400 on, without those of the rate limit. */
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
