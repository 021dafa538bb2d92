import { useBlocker } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import { RecordEditor } from './record-editor.ts';
import type { RecordItem, RecordOptions } from './record-editor.ts';
import type { Field } from './fields.tsx';

/** Options of the query of a record: its state changes only by what a person does. */
export const recordQuery = { gcTime: 0, staleTime: Infinity, refetchOnWindowFocus: false, refetchOnReconnect: false };

/**
 * The shown state of a record and its fields: `field('title')`, which save when a person leaves them. A failed save keeps what was
 * entered and says why. Another page opens only after all fields are saved, or if the
 * person agrees to lose what was entered.
 */
export function useRecord<Values extends object, Item extends Values & RecordItem>(
  loaded: Item,
  options: RecordOptions<Values, Item>,
) {
  const [editor] = useState(() => new RecordEditor<Values, Item>(loaded, options));
  const { item, drafts, saved, conflict } = useSyncExternalStore(editor.subscribe, editor.getState);
  const isEdited = Object.keys(drafts).length > 0;

  useBlocker({
    disabled: !isEdited,
    shouldBlockFn: async () =>
      !(await editor.saveAll()) && !window.confirm('This text is not saved. Leave without it?'),
    enableBeforeUnload: isEdited,
  });

  const field = <Name extends keyof Values & string>(name: Name): Field<Values[Name]> => {
    const draft = drafts[name];
    const quiet = saved.includes(name) ? 'Saved' : '';
    return {
      name,
      value: draft === undefined ? item[name] : draft.value,
      status: draft?.isSaving === true ? 'Saving' : quiet,
      error: draft?.error,
      edit: (value) => editor.edit(name, value),
      leave: () => void editor.save(name),
      choose: (value) => {
        editor.edit(name, value);
        void editor.save(name);
      },
      restore: () => editor.restore(name),
      retry: () => void editor.save(name),
    };
  };

  /** Runs an action that returns the record, for example a review. */
  const apply = (action: () => Promise<Item>) => editor.apply(action);

  return { item, field, conflict, apply };
}
