import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { errorDetails, fieldErrors } from '../../api/errors.ts';

/** Time for which "Saved" is shown. */
const SAVED_MS = 2000;

/**
 * A field that saves when a person leaves it. A failed save keeps the text and says why. Another page opens only after the
 * save, or if the person agrees to lose the text.
 * @param saved value of the server; a new one replaces the text unless a person edited it
 * @param save sends a value
 */
export function useAutoSave<Value>(name: string, saved: Value, save: (value: Value) => Promise<unknown>) {
  const [draft, setDraft] = useState<{ value: Value }>();
  const [state, setState] = useState<'idle' | 'saving' | 'saved'>('idle');
  const [error, setError] = useState<string>();
  const sending = useRef<{ value: Value; isSaved: Promise<boolean> }>(undefined);
  const value = draft === undefined ? saved : draft.value;

  const send = async (next: Value): Promise<boolean> => {
    setState('saving');
    setError(undefined);
    try {
      await save(next);
      setDraft((latest) => (latest?.value === next ? undefined : latest));
      setState('saved');
      setTimeout(() => setState((latest) => (latest === 'saved' ? 'idle' : latest)), SAVED_MS);
      return true;
    } catch (failure) {
      const { [name]: ofField, '': rest } = fieldErrors(errorDetails(failure), [name]);
      setState('idle');
      setError(ofField ?? rest);
      return false;
    }
  };

  /** Saves a value, unless it is the saved one or is being sent. */
  const commit = async (next: Value): Promise<boolean> => {
    if (sending.current?.value === next) return sending.current.isSaved;
    if (next === saved && sending.current === undefined) {
      setDraft(undefined);
      setError(undefined);
      return true;
    }
    const current = { value: next, isSaved: send(next) };
    sending.current = current;
    const isSaved = await current.isSaved;
    if (sending.current === current) sending.current = undefined;
    return isSaved;
  };

  useBlocker({
    disabled: draft === undefined,
    shouldBlockFn: async () => !(await commit(value)) && !window.confirm('This text is not saved. Leave without it?'),
    enableBeforeUnload: draft !== undefined,
  });

  return {
    value,
    /** Keeps a text until the field is left. */
    edit: (next: Value) => setDraft({ value: next }),
    /** Saves what was edited: `onBlur`. */
    leave: () => (draft === undefined ? undefined : void commit(draft.value)),
    /** Saves a choice at once: `onChange` of a select. */
    choose: (next: Value) => {
      setDraft({ value: next });
      void commit(next);
    },
    /** Quiet text beside the label. */
    status: { idle: '', saving: 'Saving', saved: 'Saved' }[state],
    error,
  };
}
