import { z } from 'zod';
import { expected } from '../schemas/fields.ts';

const EXPECTED_SOURCE = '1 to 50 characters of a-z, 0-9, _ and -';

/** Name of an external system. Contract, section 10. */
export const sourceInput = z
  .string(expected(EXPECTED_SOURCE))
  .regex(/^[a-z0-9_-]{1,50}$/, `expected ${EXPECTED_SOURCE}`)
  .meta({ examples: ['jira'] });
