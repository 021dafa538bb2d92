import { TextInput, Textarea } from '@mantine/core';
import { client } from '../../../api/client.ts';
import type { Outputs } from '../../../api/client.ts';
import { InputError } from '../../../api/errors.ts';
import { ConflictDialog } from '../../record/conflict/conflict-dialog.tsx';
import { useRecord } from '../../record/edits/use-record.ts';
import type { Field } from '../../record/edits/use-record.ts';
import { FieldFrame, inputProps } from '../../record/fields/field-frame.tsx';
import { DateField } from '../../record/fields/inputs.tsx';
import type { Parent } from '../../timeline/parent.ts';
import { reloadEvidence } from '../start/evidence.ts';
import { DetailFacts } from './facts.tsx';

type TaggedEvidence = Outputs['evidence']['get'];

/** Fields that a person edits. A date is null while its field is empty. */
interface EvidenceValues {
  name: string;
  note: string;
  date: string | null;
  validUntil: string | null;
}

interface DetailFieldsProps {
  loaded: TaggedEvidence;
  parent: Parent;
}

/** The fields of a piece of evidence, which save when they are left. */
export function DetailFields({ loaded, parent }: DetailFieldsProps) {
  const { uniqueId: evidence } = loaded;
  const { item, field, conflict } = useRecord<EvidenceValues, TaggedEvidence>(loaded, {
    read: () => client.evidence.get.query({ evidence }),
    update: (changes, ifMatch) => client.evidence.update.mutate({ ...toInput(changes), evidence, ifMatch }),
    onChange: () => void reloadEvidence(parent),
  });
  return (
    <>
      <div className="evidence-fields">
        <NameField field={field('name')} />
        <DateField label="Date" field={field('date')} note={<Hint text="The day that it speaks for" />} />
        <DateField label="Valid until" field={field('validUntil')} note={<Hint text="Empty if it does not expire" />} />
        <NoteField field={field('note')} />
      </div>
      <DetailFacts item={{ ...item, note: '' }} />
      <ConflictDialog conflict={conflict} findName={() => undefined} />
    </>
  );
}

/** Changed fields as the API takes them. @throws InputError for an empty date */
function toInput({ date, ...changes }: Partial<EvidenceValues>) {
  if (date === null) throw new InputError('date: enter the day that it speaks for');
  return { ...changes, ...(date !== undefined && { date }) };
}

const Hint = ({ text }: { text: string }) => <div className="field-note">{text}</div>;

const NameField = ({ field }: { field: Field<string> }) => (
  <FieldFrame field={field} className="evidence-wide">
    <TextInput
      {...inputProps(field)}
      label="Name of the evidence"
      value={field.value}
      onChange={({ currentTarget }) => field.edit(currentTarget.value)}
      onBlur={field.leave}
      onKeyDown={({ key, currentTarget, nativeEvent }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) currentTarget.blur();
        if (key === 'Escape') field.restore();
      }}
    />
  </FieldFrame>
);

const NoteField = ({ field }: { field: Field<string> }) => (
  <FieldFrame field={field} className="evidence-wide">
    <Textarea
      {...inputProps(field)}
      label="Note"
      autosize
      minRows={2}
      maxRows={12}
      value={field.value}
      onChange={({ currentTarget }) => field.edit(currentTarget.value)}
      onBlur={field.leave}
      onKeyDown={({ key }) => {
        if (key === 'Escape') field.restore();
      }}
    />
  </FieldFrame>
);
