import * as fc from 'fast-check';
import { trpcData, createMarkedCompany } from '../service/companies.ts';
import { Finding } from '../runner/finding.ts';
import { CompanyModel } from '../model/company-model.ts';
import { Oracle } from '../runner/oracle.ts';
import { StepRunner } from '../model/step-runner.ts';
import { OPERATOR_TOKEN } from '../service/service.ts';
import type { Service } from '../service/service.ts';
import { COMPANY_COUNT, stepArbitrary } from '../model/steps.ts';
import type { Action, Step } from '../model/steps.ts';
import { checkProperty } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** Steps of a run at most. */
const MAX_STEPS = 60;

/** Before a run each has something of every kind, so that there is something to reach for. */
const SETUP_ACTIONS: Action[] = [
  { do: 'create task', framework: { index: 0, isOwn: true }, wish: { title: 0, gaps: [{ index: 0, isOwn: true }] } },
  { do: 'create task', framework: { index: 0, isOwn: true }, wish: { title: 1, startDate: 1, labels: [0, 2] } },
  {
    do: 'create task',
    framework: { index: 1, isOwn: true },
    wish: { title: 2, department: { index: 1, isOwn: true } },
  },
  { do: 'update task', wish: { status: 'done' }, match: undefined },
  { do: 'create vendor', wish: { name: 0 } },
  { do: 'create vendor', wish: { name: 1, active: false } },
];

/** After a run everything is looked at once more, by every company. */
const FINAL_ACTIONS: Action[] = [
  { do: 'enable key' },
  { do: 'list audit log', of: 'task' },
  { do: 'list audit log', of: 'vendor' },
  { do: 'list vendors', status: undefined, limit: 2, cursor: undefined },
  { do: 'list vendors', status: undefined, limit: 2, cursor: 'foreign' },
  { do: 'list tasks', framework: { index: 0, isOwn: true }, filter: {}, limit: 100 },
  { do: 'list tasks', framework: { index: 1, isOwn: true }, filter: {}, limit: 100 },
];
const defaultStep: Omit<Step, 'company' | 'action'> = {
  key: 'full',
  transport: 'REST',
  resourceIndex: 0,
  isOwn: true,
  claimsOtherCompany: false,
  idempotencyKey: undefined,
};

async function runSteps(service: Service, steps: readonly Step[]): Promise<void> {
  const companies = [];
  while (companies.length < COMPANY_COUNT) companies.push(await createMarkedCompany(service));
  const oracle = await Oracle.create(service, companies);
  const models = companies.map((company) => new CompanyModel(company));
  const each = (deeds: readonly Action[]) =>
    models.flatMap((_, company) => deeds.map((deed): Step => Object.assign({ company, action: deed }, defaultStep)));
  for (const one of [...each(SETUP_ACTIONS), ...steps, ...each(FINAL_ACTIONS)])
    await new StepRunner(oracle, models, one).run();
  for (const company of companies) {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'X-Company-Id': String(company.id) };
    const asked = { method: 'POST', path: '/trpc/management.audit.verify', headers, body: {} };
    const verified = trpcData(await oracle.sendAndCheck(asked, { company, key: undefined }));
    if (verified['intact'] !== true) throw new Finding('unexpected response', JSON.stringify(verified));
  }
  oracle.release();
}

/**
 * Runs of several companies by turns, each step predicted by a model of the contract: what is answered, what is stored and
 * what the trail tells are what the model says, and nobody's marker is ever shown to another.
 */
export const modelSuite: Suite = {
  name: 'model',
  timeShare: 3,
  run: (service, budget) =>
    checkProperty(
      fc.array(stepArbitrary, { minLength: 1, maxLength: MAX_STEPS, size: 'max' }),
      (steps) => runSteps(service, steps),
      budget,
    ),
};
