import { router } from '../core/trpc.ts';
import { apiKey } from './api-key.ts';
import { audit } from './audit.ts';
import { company } from './company.ts';
import { gap } from './gap.ts';
import { department, framework } from './reference-data.ts';

/** Management procedures, served over tRPC and the command line, never under `/external`. See docs/contract.md, section 7. */
export const management = router({ company, framework, department, gap, apiKey, audit });
