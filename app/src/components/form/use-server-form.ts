import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import type { ChangeEvent } from 'react';
import { errorDetails, fieldErrors } from '../../api/errors.ts';
import type { Field } from '../record/fields.tsx';

/**
 * Values of a form whose errors come from the server. A failed submission keeps the values and shows each error under its
 * field; `error` is the rest.
 */
export function useServerForm<Values extends object>(initial: Values) {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [error, setError] = useState<unknown>();
  const [isPending, setIsPending] = useState(false);
  const [isEdited, setIsEdited] = useState(false);
  // The browser asks before it drops what was typed.
  useWindowEvent('beforeunload', (event) => {
    if (isEdited && !isPending) event.preventDefault();
  });

  const set = (name: keyof Values & string, value: unknown) => {
    setIsEdited(true);
    setValues((previous) => ({ ...previous, [name]: value }));
    setErrors((previous) => Object.fromEntries(Object.entries(previous).filter(([field]) => field !== name)));
  };

  return {
    values,
    set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => set(name, value),
    /** Error that belongs to no field; undefined without one. */
    error,
    isPending,
    /** Props of a text field or a NativeSelect: `<TextInput label="Name" {...form.text('name')} />`. */
    text: <Name extends keyof Values & string>(name: Name & (Values[Name] extends string ? Name : never)) => ({
      name,
      value: String(values[name]),
      error: errors[name],
      onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
        set(name, event.currentTarget.value),
    }),
    /** Props of another field: `<TagsInput label="Labels" {...form.field('labels')} />`. */
    field: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: (value: Values[Name]) => set(name, value),
    }),
    /** A field of a record, as the inputs of its page take it. */
    record: <Name extends keyof Values & string>(name: Name): Field<Values[Name]> => ({
      name,
      value: values[name],
      status: '',
      error: errors[name],
      edit: (value) => set(name, value),
      choose: (value) => set(name, value),
      leave: () => undefined,
      restore: () => undefined,
    }),
    reset: () => {
      setIsEdited(false);
      setValues(initial);
      setErrors({});
      setError(undefined);
    },
    /** Runs the action. @returns true if it succeeded */
    submit: async (action: (values: Values) => Promise<unknown>): Promise<boolean> => {
      setIsPending(true);
      setErrors({});
      setError(undefined);
      try {
        await action(values);
        setIsEdited(false);
        return true;
      } catch (failure) {
        const { '': rest, ...byField } = fieldErrors(errorDetails(failure), Object.keys(values));
        setErrors(byField);
        if (rest !== undefined) setError(failure);
        return false;
      } finally {
        setIsPending(false);
      }
    },
  };
}

export type ServerForm<Values extends object> = ReturnType<typeof useServerForm<Values>>;
