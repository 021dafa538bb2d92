import { SimpleGrid, TextInput, Textarea } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { InputError } from '../../../api/errors.ts';

/** Values that a file and a link have. Dates are those of their fields. */
export interface ProofValues {
  date: string;
  validUntil: string;
  note: string;
}

interface ProofForm {
  text: (name: keyof ProofValues) => {
    name: string;
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  };
}

/** Fields of what a person attaches: the day that it speaks for, its last day, and a note. */
export const ProofFields = ({ form }: { form: ProofForm }) => (
  <>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <TextInput type="date" label="Date" description="The day that it speaks for" {...form.text('date')} />
      <TextInput
        type="date"
        label="Valid until"
        description="Empty if it does not expire"
        {...form.text('validUntil')}
      />
    </SimpleGrid>
    <Textarea label="Note" autosize minRows={2} maxRows={8} {...form.text('note')} />
  </>
);

/** Checks the dates before a file is sent. @throws InputError */
export function checkDates({ date, validUntil }: ProofValues): void {
  if (date === '') throw new InputError('date: enter the day that it speaks for');
  if (validUntil !== '' && validUntil < date)
    throw new InputError('validUntil: enter a day that is not before the date');
}
