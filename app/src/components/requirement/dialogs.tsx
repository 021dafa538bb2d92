import { Radio, Stack, Textarea } from '@mantine/core';
import { client } from '../../api/client.ts';
import type { Inputs as ApiInputs } from '../../api/client.ts';
import { InputError } from '../../api/errors.ts';
import { openDialog } from '../form/dialog.tsx';
import { Inputs } from '../record/fields.tsx';
import { firstText, line } from '../record/kinds.tsx';
import { StatusDot } from '../status-dot.tsx';
import { RESULTS } from './choices.ts';
import type { Requirement, Result } from './choices.ts';
import { MAX_NOTE, requirementFields } from './fields.tsx';
import type { RequirementValues } from './fields.tsx';
import { reloadRequirements } from './use-requirements.ts';

/** An assessment as the API takes it. */
export type Assessment = Required<Omit<ApiInputs['requirement']['assess'], 'requirement' | 'ifMatch'>>;

/** Value of no assessment. */
const WITHDRAWN = 'none';

interface AssessDialog {
  /** "A.5.1 Policies", "12 requirements" */
  what: string;
  /** The present result; null without one. */
  current: Result | null;
  /** True if an assessment can be withdrawn. */
  canWithdraw: boolean;
  onAssess: (assessment: Assessment) => Promise<unknown>;
}

/** Records whether the company meets requirements. */
export const openAssessing = ({ what, current, canWithdraw, onAssess }: AssessDialog): void => {
  const initial: { result: string | null; note: string } = { result: current, note: '' };
  openDialog({
    title: `Assess ${what}`,
    initial,
    fields: (form) => (
      <>
        <Radio.Group label="Result" {...form.field('result')}>
          <Stack gap={8} mt={4}>
            {RESULTS.map((result, index) => (
              <Radio
                key={result}
                value={result}
                data-autofocus={index === 0 || undefined}
                label={<StatusDot status={result} />}
              />
            ))}
            {canWithdraw && <Radio value={WITHDRAWN} label="Withdraw the assessment" />}
          </Stack>
        </Radio.Group>
        <Textarea
          label="Note"
          placeholder="What was checked, and what is missing"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={MAX_NOTE}
          {...form.text('note')}
        />
      </>
    ),
    button: 'Save assessment',
    submit: async ({ result: chosen, note }) => {
      if (chosen === null) throw new InputError('result: choose a result');
      const result = RESULTS.find((one) => one === chosen) ?? null;
      await onAssess({ result, note: result === null ? '' : note });
    },
  });
};

type NewRequirement = Pick<RequirementValues, 'ref' | 'title' | 'parent' | 'owner' | 'assessable'>;

const NEW_REQUIREMENT: NewRequirement = { ref: '', title: '', parent: null, owner: null, assessable: true };

/** Creates a requirement. The other facts are edited on its own page. */
export const openNewRequirement = (framework: number, onCreated: (requirement: Requirement) => void): void =>
  openDialog({
    title: 'New requirement',
    initial: NEW_REQUIREMENT,
    fields: (form) => (
      <Inputs<NewRequirement>
        fields={{ ...requirementFields({ framework, ref: form.values.ref }), ref: firstText, title: line }}
        names={['ref', 'title', 'parent', 'owner', 'assessable']}
        field={form.record}
      />
    ),
    button: 'Save',
    submit: async ({ owner, ...values }) => {
      const created = await client.requirement.create.mutate({
        ...values,
        framework,
        ownerId: owner?.uniqueId ?? null,
      });
      await reloadRequirements();
      onCreated(created);
    },
  });
