import { movedMessage } from '../../entities/api-error.ts';
import { EXAMPLE_IDS } from '../../entities/fields/schemas.ts';
import type { PROCEDURE_REASONS } from '../core/errors.ts';

/** An example message for each reason. */
export const EXAMPLE_MESSAGES: Readonly<Record<(typeof PROCEDURE_REASONS)[number], string>> = {
  invalid_request: 'priority: expected an integer from 1 to 4',
  malformed_json: 'The body is not JSON in UTF-8.',
  unauthorized: 'X-API-Key: not a valid key',
  key_disabled: 'X-API-Key: the key is disabled',
  key_expired: 'X-API-Key: the key has expired',
  forbidden: 'scope: the key lacks task:write',
  not_found: 'task: not found',
  method_not_allowed: 'This path takes GET, HEAD.',
  cursor_lost: 'cursor: the database was restored to a time before it; start again without a cursor',
  precondition_failed: 'If-Match: this was changed since; read it again',
  idempotency_conflict: 'Idempotency-Key: a request with this key is in progress',
  idempotency_key_reused: 'Idempotency-Key: already used for a different request',
  conflict: 'status: done cannot become canceled; reopen it with todo, in_progress or in_review first',
  range_not_satisfiable: 'Range: expected a range of 184320 bytes',
  payload_too_large: 'The body is larger than 262144 bytes.',
  unsupported_media_type: 'Content-Type: expected application/json',
  misdirected: movedMessage('https://b.example.com'),
  unprocessable: 'departmentId: no such department, or it is archived',
  internal: 'Something went wrong on our side.',
  rate_limited: 'Too many requests: a key or a person may make 600 in 60 s. Try again in 12 s.',
  unavailable: 'The database cannot serve this now. Try again shortly.',
};

const VENDORS = '/external/smart-inventory/vendor';

/** Examples of response headers that name a resource. */
export const EXAMPLE_HEADERS = {
  location: `${VENDORS}/${EXAMPLE_IDS.vendor}/item`,
  link: `<https://compliance.example.com${VENDORS}/list?limit=50&cursor=c2VhbGVkIGFuZCBzaG9ydGVuZWQ>; rel="next"`,
  contentDisposition: 'attachment; filename="vendors.csv"',
};
