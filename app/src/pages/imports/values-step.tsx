import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { maySee, useMembers } from '../../components/person/use-members.ts';
import { useVendorSearch } from '../../components/vendor/names.ts';
import type { OptionsForm } from './columns-step.tsx';
import { fieldOf, labelOf } from './file/columns.ts';
import type { Field, Kind, Mapping } from './file/columns.ts';
import { answerKey, asSaid, countRows } from './file/table.ts';
import type { Table } from './file/table.ts';
import { problemText } from './findings.tsx';
import type { Finding } from './use-imports.ts';

/** A value of the file that does not fit. */
export interface UnfitValue {
  /** Key of its answer. */
  key: string;
  field: Field;
  value: string;
  /** Message of the service. */
  text: string;
  /** Rows of the file that have it. */
  rows: number;
}

/** The values of the file that a check left out, each once. */
export function unfitValues(kind: Kind, table: Table, mapping: Mapping, leftOut: readonly Finding[]): UnfitValue[] {
  const values = new Map<string, UnfitValue>();
  const counts = new Map<string, ReadonlyMap<string, number>>();
  for (const { field: name, value, text } of leftOut) {
    const field = name === null ? undefined : fieldOf(kind, name);
    if (field === undefined || value === null) continue;
    const ofField = counts.get(field.name) ?? countRows(table, mapping, field);
    counts.set(field.name, ofField);
    const rows = ofField.get(asSaid(value));
    const key = answerKey(field.name, value);
    if (rows !== undefined && !values.has(key)) values.set(key, { key, field, value, text, rows });
  }
  return [...values.values()];
}

interface AnswerProps {
  unfit: UnfitValue;
  framework: number | undefined;
  answer: string;
  onChange: (answer: string) => void;
}

const LEFT_OUT = 'Leave out';

/** What a value becomes, as the field takes it. */
function Answer({ unfit: { field, value }, framework, answer, onChange }: AnswerProps) {
  const props = { 'aria-label': `${labelOf(field)} in place of ${value}`, placeholder: LEFT_OUT };
  const options = useOptionsOf(field, framework);
  if (field.refersTo === 'vendor') return <VendorAnswer {...props} answer={answer} onChange={onChange} />;
  if (options === undefined)
    return (
      <TextInput
        {...props}
        {...(field.isDate === true && { type: 'date' })}
        value={answer}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  return (
    <Select
      {...props}
      data={options}
      searchable
      clearable
      nothingFoundMessage="Nothing has this name."
      value={answer === '' ? null : answer}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}

interface VendorAnswerProps extends Pick<AnswerProps, 'answer' | 'onChange'> {
  'aria-label': string;
  placeholder: string;
}

/** A vendor, which the server finds by name. */
function VendorAnswer({ answer, onChange, ...props }: VendorAnswerProps) {
  const { found, text, setText, use } = useVendorSearch();
  const { data: chosen } = useQuery(trpc.vendor.get.queryOptions(answer === '' ? skipToken : { vendor: answer }));
  const others = found.filter(({ value }) => value !== answer);
  return (
    <Select
      {...props}
      data={chosen === undefined ? others : [{ value: answer, label: chosen.name }, ...others]}
      searchable
      clearable
      searchValue={text}
      onSearchChange={setText}
      onFocus={use}
      nothingFoundMessage="No vendor has this name."
      value={answer === '' ? null : answer}
      onChange={(next) => onChange(next ?? '')}
    />
  );
}

/** The values that a field may have; undefined for one with any text. */
function useOptionsOf({ refersTo, words }: Field, framework: number | undefined) {
  const { members } = useMembers();
  const { data: departments = [] } = useQuery(
    trpc.department.list.queryOptions(refersTo === 'department' ? undefined : skipToken),
  );
  const { data: gaps = [] } = useQuery(
    trpc.gap.list.queryOptions(refersTo === 'gap' && framework !== undefined ? { framework } : skipToken),
  );
  if (words !== undefined) return words.map(([, word]) => ({ value: word, label: word }));
  if (refersTo === 'member')
    return members
      .filter((member) => maySee(member, framework))
      .map(({ uniqueId, name, email }) => ({ value: uniqueId, label: `${name} (${email})` }));
  if (refersTo === 'department')
    return departments.filter(({ archived }) => !archived).map(({ id, name }) => ({ value: String(id), label: name }));
  if (refersTo === 'gap')
    return gaps.filter(({ archived }) => !archived).map(({ id, title }) => ({ value: String(id), label: title }));
  return undefined;
}

interface ValuesStepProps {
  kind: Kind;
  framework: number | undefined;
  values: readonly UnfitValue[];
  /** Answers by key. */
  answers: ReadonlyMap<string, string>;
  onAnswer: (key: string, answer: string) => void;
  form: OptionsForm;
  onBack: () => void;
  onContinue: () => void;
}

const PAGE_SIZE = 100;

/** The step "Values": each value that does not fit, and what it becomes in all rows. */
export function ValuesStep({ kind, framework, values, answers, onAnswer, form, onBack, onContinue }: ValuesStepProps) {
  const [shown, setShown] = useState(PAGE_SIZE);
  return (
    <Stack gap="sm">
      <Text size="sm">
        These values cannot be imported as they are. Choose what to use instead of each one in all its rows. Without a
        choice, the value is left out and the rest of the row is imported. Your choices are remembered for the next
        file.
      </Text>
      <table className="column-table values-table" aria-label="Values that cannot be imported">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Problem</th>
            <th scope="col">Use instead</th>
          </tr>
        </thead>
        <tbody>
          {values.slice(0, shown).map((unfit) => (
            <tr key={unfit.key}>
              <th scope="row">
                {unfit.value}
                <span>
                  {labelOf(unfit.field)}, {unfit.rows.toLocaleString('en')} {unfit.rows === 1 ? 'row' : 'rows'}
                </span>
              </th>
              <td>{problemText(kind, { field: unfit.field.name, text: unfit.text })}</td>
              <td>
                <Answer
                  unfit={unfit}
                  framework={framework}
                  answer={answers.get(unfit.key) ?? ''}
                  onChange={(answer) => onAnswer(unfit.key, answer)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {values.length > shown && (
        <Button variant="subtle" size="xs" onClick={() => setShown(shown + PAGE_SIZE)}>
          {`Show more of ${values.length.toLocaleString('en')}`}
        </Button>
      )}
      {form.error !== undefined && <ErrorMessage title="The choices could not be used" error={form.error} />}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button loading={form.isPending} onClick={onContinue}>
          Continue
        </Button>
      </Group>
    </Stack>
  );
}
