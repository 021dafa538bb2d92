import { router } from '../core/trpc.ts';
import { apiKey } from './api-key.ts';
import { audit } from './audit.ts';
import { company } from './company.ts';
import { gap } from './gap.ts';
import { department, framework } from './reference-data.ts';

/** Served over tRPC and as a command line, never below `/external`. Contract, section 7. */
export const management = router({ company, framework, department, gap, apiKey, audit });
