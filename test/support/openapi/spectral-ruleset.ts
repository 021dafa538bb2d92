import type { RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

/** Path of the document in the `files` of overrides. */
export const DOCUMENT_PATH = '/openapi.json';

// The types of the packages are less specific than their values.
const rulesets = [oas, owasp] as unknown as RulesetDefinition[];

/** Spectral's recommended rules for OpenAPI: `extends: spectral:oas`. */
export const recommended: RulesetDefinition = { extends: rulesets.slice(0, 1) };

/** All Spectral rules for OpenAPI and all OWASP rules, except the rules that do not apply. */
export const ruleset: RulesetDefinition = {
  extends: rulesets.map((rules) => [rules, 'all']),
  rules: {
    // Host name, environment and contact depend on the deployment.
    'contact-properties': 'off',
    'owasp:api9:2023-inventory-environment': 'off',
    // OpenAPI 3.1 has `identifier` instead.
    'license-url': 'off',
    // The tags are in the order in which a new client needs them.
    'openapi-tags-alphabetical': 'off',
    // Names, titles and descriptions are free text. Ids, dates and timestamps have a format.
    'owasp:api4:2023-string-restricted': 'off',
    // CORS headers depend on the origins that the operator configures.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
  overrides: [
    {
      // The contract requires all vendors of the company in one array, without a limit, and all reference data too.
      files: [
        '~1external~1smart-inventory~1vendor~1list',
        '~1external~1framework~1list',
        '~1external~1framework~1%7Bframework%7D~1gap~1list',
        '~1external~1department~1list',
      ].map((path) => `${DOCUMENT_PATH.slice(1)}#/paths/${path}/get/responses/200`),
      rules: { 'owasp:api4:2023-array-limit': 'off' },
    },
    {
      // The contract requires integer ids for departments. They are only valid within a company.
      files: [`${DOCUMENT_PATH.slice(1)}#/paths/~1external~1task~1framework~1%7Bframework%7D~1list/get/parameters`],
      rules: { 'owasp:api1:2023-no-numeric-ids': 'off' },
    },
    {
      // Rate limits belong to a key, and this response has no valid key.
      files: [`${DOCUMENT_PATH.slice(1)}#/components/responses/401`],
      rules: { 'owasp:api4:2023-rate-limit': 'off' },
    },
  ],
};
