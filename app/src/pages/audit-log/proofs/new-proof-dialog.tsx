import { Checkbox, TextInput } from '@mantine/core';
import { InputError } from '../../../api/errors.ts';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import { FrameworksField, toFrameworks } from '../../../components/frameworks/frameworks-field.tsx';
import { localDate } from '../../../dates.ts';
import { endOfDay, startOfDay } from '../days.ts';
import { createProof } from './proof.ts';
import type { Proof } from './proof.ts';

interface NewProofDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (proof: Proof) => void;
}

const EMPTY: { from: string; asOf: string; frameworks: string[]; evidence: boolean } = {
  from: '',
  asOf: '',
  frameworks: [],
  evidence: true,
};

/** Asks for a period, the frameworks and the files. Days are those of the person's time zone. */
export function NewProofDialog({ opened, onClose, onCreated }: NewProofDialogProps) {
  const form = useServerForm(EMPTY);
  const today = localDate();
  return (
    <FormDialog
      title="New proof"
      submitLabel="Create proof"
      opened={opened}
      onClose={onClose}
      form={form}
      onSubmit={async ({ from, asOf, frameworks, evidence }) => {
        if (asOf > today) throw new InputError('asOf: choose today or an earlier day');
        if (from > (asOf === '' ? today : asOf)) throw new InputError('from: choose a day that is not after "As of"');
        onCreated(
          await createProof({
            from: startOfDay(from),
            asOf: asOf === today ? undefined : lastMoment(asOf),
            frameworks: toFrameworks(frameworks),
            evidence,
          }),
        );
      }}
    >
      <TextInput
        type="date"
        label="From"
        description="Events from this day on. Leave empty for the beginning of the log: then everybody can rebuild the registers."
        max={today}
        {...form.text('from')}
      />
      <TextInput
        type="date"
        label="As of"
        description="Tasks, vendors and the rest as they were at the end of this day. Leave empty for now."
        max={today}
        {...form.text('asOf')}
      />
      <FrameworksField {...form.field('frameworks')} />
      <Checkbox
        label="With the files of evidence"
        description="Without them, the proof still has their names, sizes and SHA-256"
        checked={form.values.evidence}
        onChange={({ currentTarget }) => form.set('evidence', currentTarget.checked)}
      />
    </FormDialog>
  );
}

/** The last millisecond of a day; undefined without a day. */
function lastMoment(day: string): string | undefined {
  const end = endOfDay(day);
  return end === undefined ? undefined : new Date(Date.parse(end) - 1).toISOString();
}
