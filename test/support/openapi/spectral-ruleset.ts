import type { RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

/** What the document is called where rules are set for a part of it. */
export const DOCUMENT_PATH = '/openapi.json';

// The packages' types say less than their values are.
const rulesets = [oas, owasp] as unknown as RulesetDefinition[];

/** Spectral's recommended rules for OpenAPI: `extends: spectral:oas`. */
export const recommended: RulesetDefinition = { extends: rulesets.slice(0, 1) };

/** Spectral's rules for OpenAPI and OWASP's, all of them, but for those that do not fit. */
export const ruleset: RulesetDefinition = {
  extends: rulesets.map((rules) => [rules, 'all']),
  rules: {
    // Whoever runs a server knows its name, its address and whom to write to; this document does not.
    'contact-properties': 'off',
    'owasp:api9:2023-inventory-environment': 'off',
    // OpenAPI 3.1 has `identifier` in its place.
    'license-url': 'off',
    // They stand in the order in which a newcomer meets them.
    'openapi-tags-alphabetical': 'off',
    // Names, titles and descriptions are free text; ids, dates and moments have a format.
    'owasp:api4:2023-string-restricted': 'off',
    // Headers of CORS are a browser's affair, sent to the origins that whoever runs the server names and to no other.
    'owasp:api8:2023-define-cors-origin': 'off',
  },
  overrides: [
    {
      // The contract: all vendors of the company, however many.
      files: [`${DOCUMENT_PATH.slice(1)}#/paths/~1external~1smart-inventory~1vendor~1list/get/responses/200`],
      rules: { 'owasp:api4:2023-array-limit': 'off' },
    },
    {
      // The contract: departments have integer ids, which tell nothing outside their company.
      files: [`${DOCUMENT_PATH.slice(1)}#/paths/~1external~1task~1framework~1%7Bframework%7D~1list/get/parameters`],
      rules: { 'owasp:api1:2023-no-numeric-ids': 'off' },
    },
    {
      // What is left is told of a key, and here there is none.
      files: [`${DOCUMENT_PATH.slice(1)}#/components/responses/401`],
      rules: { 'owasp:api4:2023-rate-limit': 'off' },
    },
  ],
};
