import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../error-message.tsx';

interface FormProps {
  form: { error: unknown };
  onSubmit: () => unknown;
  /** Leaves all checks to the server. */
  noValidate?: boolean;
  /** Hides an error that is none for the person. */
  isQuiet?: boolean;
  maxWidth?: number;
  /** Fields, then the button that submits. */
  children: ReactNode;
}

/** A form with the error that belongs to no field above it. */
export const Form = ({ form, onSubmit, noValidate = false, isQuiet = false, maxWidth, children }: FormProps) => (
  <form
    noValidate={noValidate}
    onSubmit={(event) => {
      event.preventDefault();
      void onSubmit();
    }}
  >
    <Stack gap="md" {...(maxWidth !== undefined && { maw: maxWidth })}>
      {form.error !== undefined && !isQuiet && <ErrorMessage error={form.error} />}
      {children}
    </Stack>
  </form>
);
