import { Select, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { openDialog } from '../form/dialog.tsx';
import { FieldFrame, inputProps } from '../record/fields.tsx';
import type { Field, Fields, Kind } from '../record/fields.tsx';
import { derived, line, number, paragraph, person, yesOrNo } from '../record/kinds.tsx';
import { StatusDot } from '../status-dot.tsx';
import { nameOf } from './choices.ts';
import type { Requirement } from './choices.ts';
import { requirementNames } from './names.tsx';
import { outlineOf } from './outline.ts';
import { useRequirements } from './use-requirements.ts';

/** Requirements that a select shows at once. A person types to find others. */
const MAX_SHOWN = 100;

interface RequirementSelectProps {
  field: Field<string | null>;
  label: string;
  framework: number | undefined;
  /** A requirement that is not offered, and neither are those below it. */
  except?: string;
}

/** A requirement of a framework. The choice is saved at once. */
function RequirementSelect({ field, label, framework, except }: RequirementSelectProps) {
  const { data = [] } = useRequirements(framework);
  const excluded = new Set([except]);
  const offered = outlineOf(data).filter(({ item: { uniqueId, parent } }) => {
    if (parent !== null && excluded.has(parent)) excluded.add(uniqueId);
    return !excluded.has(uniqueId);
  });
  return (
    <FieldFrame field={field}>
      <Select
        {...inputProps(field)}
        label={label}
        data={offered.map(({ item }) => ({ value: item.uniqueId, label: nameOf(item) }))}
        value={field.value}
        onChange={field.choose}
        allowDeselect={false}
        clearable
        searchable
        limit={MAX_SHOWN}
        placeholder="None"
        nothingFoundMessage="No requirement has this name."
      />
    </FieldFrame>
  );
}

/** The name of a requirement, with a link to its page. */
function RequirementLink({ uniqueId }: { uniqueId: string }) {
  const [requirement] = requirementNames.useNames([uniqueId]);
  return (
    <Link to="/requirements/$uniqueId" params={{ uniqueId }}>
      {requirement?.name ?? '…'}
    </Link>
  );
}

/** A requirement of a framework. */
export const requirementOf = (framework: number | undefined, except?: string): Kind<string | null> => ({
  input: (field, label) => (
    <RequirementSelect field={field} label={label} framework={framework} {...(except !== undefined && { except })} />
  ),
  text: (uniqueId) => uniqueId !== null && <RequirementLink uniqueId={uniqueId} />,
});

/** Fields of a requirement that a person edits, and its status. */
export type RequirementValues = Pick<
  Requirement,
  | 'title'
  | 'description'
  | 'status'
  | 'owner'
  | 'applicable'
  | 'justification'
  | 'ref'
  | 'parent'
  | 'position'
  | 'assessable'
>;

/** Characters that a plain text of a requirement may have. */
export const MAX_NOTE = 2000;

/** Asks why a requirement does not apply, which the statement of applicability says. */
const openExclusion = (
  { ref, justification }: RequirementState,
  onExclude: (justification: string) => Promise<unknown>,
) =>
  openDialog({
    title: `${ref} does not apply`,
    initial: { justification: justification ?? '' },
    fields: (form) => (
      <Textarea
        label="Justification"
        description="This reason appears in the statement of applicability"
        data-autofocus
        autosize
        minRows={3}
        maxRows={12}
        maxLength={MAX_NOTE}
        {...form.text('justification')}
      />
    ),
    button: 'Save',
    submit: ({ justification: text }) => onExclude(text),
  });

/** What the inputs of a requirement depend on. */
interface RequirementState {
  /** Undefined for a new one. */
  uniqueId?: string;
  framework: number | undefined;
  ref: string;
  justification?: string;
}

const position: Kind<number> = {
  input: ({ edit, choose, ...field }, label) =>
    number.input({ ...field, edit: (value) => edit(value ?? 0), choose: (value) => choose(value ?? 0) }, label),
};

/**
 * The fields of a requirement beside its title and text, in the order of its page.
 * @param onExclude saves that it does not apply, and why
 */
export const requirementFields = (
  requirement: RequirementState,
  onExclude: (justification: string) => Promise<unknown> = async () => undefined,
) =>
  ({
    status: derived((value) => (value === null ? 'Heading' : <StatusDot status={value} />)),
    owner: person('Make me the owner', requirement.framework),
    applicable: yesOrNo(['Yes', 'No'], (field, value) =>
      value ? field.choose(true) : openExclusion(requirement, onExclude),
    ),
    justification: paragraph,
    ref: line,
    parent: requirementOf(requirement.framework, requirement.uniqueId),
    position,
    assessable: yesOrNo(['Yes', 'No, it is a heading']),
  }) satisfies Fields<RequirementValues>;
