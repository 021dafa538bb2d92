import * as fc from 'fast-check';
import { dataOf, newCompany } from './companies.ts';
import { Finding } from './finding.ts';
import { CompanyModel } from './model.ts';
import { Oracle } from './oracle.ts';
import { Turn } from './play.ts';
import { OPERATOR_TOKEN } from './service.ts';
import type { Service } from './service.ts';
import { COMPANIES, step } from './steps.ts';
import type { Deed, Step } from './steps.ts';
import { holds } from './suite.ts';
import type { Suite } from './suite.ts';

/** Steps of a run at most. */
const STEPS = 60;

/** Before a run each has something of every kind, so that there is something to reach for. */
const FURNISHED: Deed[] = [
  { do: 'create task', framework: { no: 0, isOwn: true }, wish: { title: 0, gaps: [{ no: 0, isOwn: true }] } },
  { do: 'create task', framework: { no: 0, isOwn: true }, wish: { title: 1, startDate: 1, labels: [0, 2] } },
  { do: 'create task', framework: { no: 1, isOwn: true }, wish: { title: 2, department: { no: 1, isOwn: true } } },
  { do: 'update task', wish: { status: 'done' }, match: undefined },
  { do: 'create vendor', wish: { name: 0 } },
  { do: 'create vendor', wish: { name: 1, active: false } },
];

/** After a run everything is looked at once more, by every company. */
const SWEEP: Deed[] = [
  { do: 'enable key' },
  { do: 'trail', of: 'task' },
  { do: 'trail', of: 'vendor' },
  { do: 'list vendors', status: undefined, limit: 2, cursor: undefined },
  { do: 'list vendors', status: undefined, limit: 2, cursor: 'foreign' },
  { do: 'list tasks', framework: { no: 0, isOwn: true }, filter: {}, limit: 100 },
  { do: 'list tasks', framework: { no: 1, isOwn: true }, filter: {}, limit: 100 },
];
const calm: Omit<Step, 'company' | 'deed'> = {
  key: 'full',
  road: 'REST',
  at: 0,
  isOwn: true,
  claims: false,
  once: undefined,
};

async function play(service: Service, steps: readonly Step[]): Promise<void> {
  const companies = [];
  while (companies.length < COMPANIES) companies.push(await newCompany(service));
  const oracle = await Oracle.over(service, companies);
  const models = companies.map((company) => new CompanyModel(company));
  const each = (deeds: readonly Deed[]) =>
    models.flatMap((_, company) => deeds.map((deed): Step => Object.assign({ company, deed }, calm)));
  for (const one of [...each(FURNISHED), ...steps, ...each(SWEEP)]) await new Turn(oracle, models, one).take();
  for (const company of companies) {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    const asked = { method: 'POST', path: '/trpc/management.audit.verify', headers, body: {} };
    const verified = dataOf(await oracle.ask(asked, { company, key: undefined }));
    if (verified['intact'] !== true) throw new Finding('not as predicted', JSON.stringify(verified));
  }
  oracle.leave();
}

/**
 * Runs of several companies by turns, each step predicted by a model of the contract: what is answered, what is stored and
 * what the trail tells are what the model says, and nobody's marker is ever shown to another.
 */
export const modelRuns: Suite = {
  name: 'model',
  share: 3,
  run: (service, budget) =>
    holds(fc.array(step, { minLength: 1, maxLength: STEPS, size: 'max' }), (steps) => play(service, steps), budget),
};
