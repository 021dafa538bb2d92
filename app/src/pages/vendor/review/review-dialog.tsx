import { TextInput, Textarea } from '@mantine/core';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { useServerForm } from '../../../components/form/use-server-form.ts';
import { monthsText } from '../../../components/record/values.ts';
import { say } from '../../../components/undo/undo.ts';
import { useSession } from '../../../components/use-session.ts';
import type { Vendor } from '../../../components/vendor/choices.ts';
import { dateIn, dateText, monthsLater } from '../../../dates.ts';

/** A review as the API takes it. */
export interface Review {
  note: string;
  nextReview: string | null;
}

interface ReviewDialogProps {
  vendor: Vendor;
  onReview: (review: Review) => Promise<unknown>;
  onClose: () => void;
}

/** Characters that a note may have. */
const MAX_NOTE = 2000;

/** Records that a person reviewed a vendor today, and when the next review is. */
export function ReviewDialog({ vendor: { name, reviewEveryMonths }, onReview, onClose }: ReviewDialogProps) {
  const { company } = useSession();
  const today = dateIn(company.timeZone);
  const form = useServerForm({
    note: '',
    nextReview: reviewEveryMonths === null ? '' : monthsLater(today, reviewEveryMonths),
  });
  return (
    <FormDialog
      title={`Review ${name}`}
      submitLabel="Save review"
      opened
      onClose={onClose}
      form={form}
      onSubmit={async ({ note, nextReview: date }) => {
        const nextReview = date === '' ? null : date;
        await onReview({ note, nextReview });
        say(`${name} was reviewed${nextReview === null ? '' : `. The next review is on ${dateText(nextReview)}`}.`);
      }}
    >
      <Textarea
        label="Note"
        placeholder="What was checked, and the result"
        data-autofocus
        autosize
        minRows={3}
        maxRows={12}
        maxLength={MAX_NOTE}
        {...form.text('note')}
      />
      <TextInput
        type="date"
        label="Next review"
        description={
          reviewEveryMonths === null
            ? 'Without a date no further review is due.'
            : `Reviewed every ${monthsText(reviewEveryMonths)}. Without a date no further review is due.`
        }
        {...form.text('nextReview')}
      />
    </FormDialog>
  );
}
