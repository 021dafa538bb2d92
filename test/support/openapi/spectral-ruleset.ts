import type { RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

// The types of the packages are less specific than their values.
const rulesets = [oas, owasp] as unknown as RulesetDefinition[];

/** Spectral's recommended rules for OpenAPI: `extends: spectral:oas`. */
export const recommended: RulesetDefinition = { extends: rulesets.slice(0, 1) };

/** All Spectral rules for OpenAPI and all OWASP rules, also those that are off by default. */
export const everyRule: RulesetDefinition = { extends: rulesets.map((rules) => [rules, 'all']) };

interface LintException {
  rule: string;
  /** Place in the document. */
  path: string;
  reason: string;
}

/** Every finding of `everyRule` in the document, and why it stays. */
export const EXCEPTIONS: readonly LintException[] = [
  {
    rule: 'contact-properties',
    path: 'info/contact',
    reason: 'The address of the operator depends on the deployment.',
  },
  {
    rule: 'owasp:api9:2023-inventory-environment',
    path: 'servers/0/description',
    reason: 'The environment depends on the deployment.',
  },
  {
    rule: 'license-url',
    path: 'info/license',
    reason: 'OpenAPI 3.1 allows a URL or an identifier, and the document has the identifier.',
  },
  {
    rule: 'openapi-tags-alphabetical',
    path: 'tags',
    reason: 'The tags are in the order in which a new client needs them.',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    path: 'paths//external/task/framework/{framework}/list/get/parameters/4/schema',
    reason: 'The contract has integer ids for departments. They are only valid within a company.',
  },
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    path: 'paths//external/task/list/get/parameters/4/schema',
    reason: 'The contract has integer ids for departments. They are only valid within a company.',
  },
  ...[
    '/external/task/{taskUniqueId}',
    '/external/smart-inventory/vendor/{vendor}',
    '/external/requirement/{requirement}',
  ].flatMap((parent) =>
    ['application/octet-stream', '*/*'].map((mediaType) => ({
      rule: 'owasp:api4:2023-string-limit',
      path: `paths/${parent}/evidence/new/post/requestBody/content/${mediaType}/schema`,
      reason:
        'The description has the bound of the bytes. Generators of clients apply maxLength to the `File`, which has none.',
    })),
  ),
  {
    rule: 'owasp:api4:2023-rate-limit',
    path: 'components/responses/401/headers',
    reason: 'Rate limits belong to a key, and this response has no valid key. Failed attempts are limited by address.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    path: 'components/responses/421/headers',
    reason: 'The cell that has the company counts the requests of its keys.',
  },
];
