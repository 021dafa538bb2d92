import { account } from './account/router.ts';
import { apiKey } from './api-key/router.ts';
import { audit } from './audit/router.ts';
import { changes } from './changes/router.ts';
import { comment } from './comment/router.ts';
import { createCallerFactory, mergeRouters, router } from './core/trpc.ts';
import { evidence, evidenceFiles } from './evidence/router.ts';
import { imports } from './import/router.ts';
import { inbox, watch } from './inbox/router.ts';
import { management } from './management/index.ts';
import { member } from './member/router.ts';
import { proof, proofFiles } from './proof/router.ts';
import { department, framework, gap } from './reference-data/router.ts';
import { overview } from './overview/router.ts';
import { requirement } from './requirement/router.ts';
import { searching } from './search/router.ts';
import { task } from './task/router.ts';
import { vendor } from './vendor/router.ts';
import { view } from './view/router.ts';
import { webhook } from './webhook/router.ts';

const procedures = {
  task,
  vendor,
  requirement,
  comment,
  evidence,
  framework,
  gap,
  department,
  member,
  import: imports,
  account,
  inbox,
  watch,
  view,
  apiKey,
  audit,
  changes,
  proof,
  webhook,
  search: searching,
  overview,
  management,
};

/** The router with all procedures of tRPC. */
export const appRouter = router(procedures);

/** The router with all procedures, including those that only REST has. */
export const serviceRouter = router({
  ...procedures,
  evidence: mergeRouters(evidenceFiles, evidence),
  proof: mergeRouters(proof, proofFiles),
});

/** Type parameter of a tRPC client. */
export type AppRouter = typeof appRouter;

/** Calls procedures without a server: `createCaller(context).vendor.list({})`. */
export const createCaller = createCallerFactory(appRouter);

/** Groups of operations, in the order of the document. */
export const TAGS = [
  { name: 'Tasks', description: 'Compliance tasks. Each belongs to one framework.' },
  { name: 'Vendors', description: 'The smart inventory: the vendors of the company.' },
  { name: 'Requirements', description: 'The requirements of frameworks: controls, criteria, articles.' },
  { name: 'Reference data', description: 'The frameworks, gaps, departments and members that tasks reference.' },
  { name: 'Comments', description: 'Comments on tasks and vendors.' },
  { name: 'Evidence', description: 'Files and links that prove a task or the state of a vendor.' },
  { name: 'Search', description: 'Full-text search in everything that the caller may read.' },
  { name: 'Imports', description: 'Files of vendors or tasks that are applied in the background.' },
  {
    name: 'Audit',
    description: 'The audit log: who changed what, when, and with which API key. Events are immutable.',
  },
  {
    name: 'Proofs',
    description: 'Signed files with which auditors check the log and the registers without this server.',
  },
  { name: 'Webhooks', description: 'Endpoints that receive every change, and the log of their deliveries.' },
  { name: 'API keys', description: 'The API key of the request and its permissions.' },
];
