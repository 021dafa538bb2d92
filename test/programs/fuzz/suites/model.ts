import * as fc from 'fast-check';
import { trpcData, createMarkedCompany } from '../service/companies.ts';
import { Finding } from '../runner/finding.ts';
import { CompanyModel } from '../model/company-model.ts';
import { Oracle } from '../runner/oracle.ts';
import { runStep } from '../model/step-runner.ts';
import { operatorHeaders } from '../../../support/http/client.ts';
import type { Service } from '../service/service.ts';
import { COMPANY_COUNT, stepArbitrary } from '../model/steps.ts';
import type { Action, Step } from '../model/steps.ts';
import { checkProperty } from '../runner/suite.ts';
import type { Suite } from '../runner/suite.ts';

/** Maximum number of steps in a run. */
const MAX_STEPS = 60;

/** Actions of every company before a run, so that resources of each kind exist. */
const SETUP_ACTIONS: Action[] = [
  { type: 'create task', framework: { index: 0, isOwn: true }, input: { title: 0, gaps: [{ index: 0, isOwn: true }] } },
  { type: 'create task', framework: { index: 0, isOwn: true }, input: { title: 1, startDate: 1, labels: [0, 2] } },
  {
    type: 'create task',
    framework: { index: 1, isOwn: true },
    input: { title: 2, department: { index: 1, isOwn: true } },
  },
  { type: 'update task', input: { status: 'done' }, match: undefined },
  { type: 'create vendor', input: { name: 0 } },
  { type: 'create vendor', input: { name: 1, active: false } },
];

/** Actions of every company after a run: they read all resources. */
const FINAL_ACTIONS: Action[] = [
  { type: 'enable key' },
  { type: 'list audit log', resourceType: 'task' },
  { type: 'list audit log', resourceType: 'vendor' },
  { type: 'follow changes' },
  { type: 'list vendors', status: undefined, limit: 2, cursor: undefined },
  { type: 'list vendors', status: undefined, limit: 2, cursor: 'foreign' },
  { type: 'list tasks', framework: { index: 0, isOwn: true }, filter: {}, limit: 100 },
  { type: 'list tasks', framework: { index: 1, isOwn: true }, filter: {}, limit: 100 },
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
  const stepsOfAll = (actions: readonly Action[]) =>
    models.flatMap((_, company) => actions.map((action): Step => Object.assign({ company, action }, defaultStep)));
  for (const step of [...stepsOfAll(SETUP_ACTIONS), ...steps, ...stepsOfAll(FINAL_ACTIONS)])
    await runStep(oracle, models, step);
  for (const company of companies) {
    const request = {
      method: 'POST',
      path: '/trpc/management.audit.verify',
      headers: operatorHeaders(company.id),
      body: {},
    };
    const verified = trpcData(await oracle.sendAndCheck(request, { company, key: undefined }));
    if (verified['intact'] !== true) throw new Finding('unexpected response', JSON.stringify(verified));
  }
  oracle.release();
}

/**
 * Random steps of several companies in turn. A model of the contract predicts the response, the stored rows and the audit log
 * of each step. No response may show the marker of another company.
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
