import { TextInput } from '@mantine/core';
import type { TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { errorDetails } from '../../api/errors.ts';

/** A server form with a field for the code. */
interface CodeForm {
  values: { code: string };
  text: (name: 'code') => TextInputProps;
}

/** The field for the code of the second factor. It appears when the server requires a code. */
export function useCodeField(form: CodeForm) {
  const [isRequired, setIsRequired] = useState(false);
  return {
    /** True if the only error is that the first request had no code. */
    isFirstRequest: isRequired && form.values.code === '',
    codeField: isRequired && (
      <TextInput
        label="Code"
        description="From your authenticator app, or a recovery code"
        autoComplete="one-time-code"
        autoFocus
        {...form.text('code')}
      />
    ),
    /** Sends a request with the code, if there is one. */
    sendWithCode: async (send: (code: { code?: string }) => Promise<unknown>): Promise<void> => {
      try {
        await send(form.values.code === '' ? {} : { code: form.values.code });
      } catch (error) {
        if (errorDetails(error).code === 'second_factor_required') setIsRequired(true);
        throw error;
      }
    },
  };
}

/** Hidden account of a form with only passwords, for password managers. */
export const UsernameField = ({ email = '' }: { email?: string }) => (
  <input type="text" name="username" autoComplete="username" defaultValue={email} hidden />
);
