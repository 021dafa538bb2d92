import { useBlocker } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import { errorDetails, fieldErrors, sentence, withoutCodes } from '../../api/errors.ts';
import type { Field } from './fields.tsx';
import { fieldLabel } from './values.ts';

export interface RecordItem {
  etag: string;
  updatedAt: string;
  updatedBy: { name: string };
}

interface Draft<Value> {
  value: Value;
  /** Value of the record when the person began to edit. */
  from: Value;
  isSaving: boolean;
  /** Reason of the last save that failed. */
  error?: string | undefined;
}

/** Entered values that are not saved, by field. */
type Drafts<Values> = { [Name in keyof Values]?: Draft<Values[Name]> };

/** Fields that two people changed to different values. */
export interface Conflict {
  fields: readonly { name: string; from: unknown; theirs: unknown; mine: unknown }[];
  /** `{from, to}` of the fields that only the other person changed. */
  others: Readonly<Record<string, unknown>>;
  updatedAt: string;
  updatedBy: { name: string };
  /** Ends the conflict with the fields whose own value is kept; undefined decides later. */
  decide: (kept: ReadonlySet<string> | undefined) => void;
}

interface EditorState<Values, Item> {
  item: Item;
  drafts: Drafts<Values>;
  /** Fields that were saved a moment ago. */
  saved: readonly (keyof Values)[];
  conflict: Conflict | undefined;
}

export interface RecordOptions<Values, Item> {
  /** Reads the present state. */
  read: () => Promise<Item>;
  update: (changes: Partial<Values>, ifMatch: string) => Promise<Item>;
  /** Runs after each new state, for example to load the history again. */
  onChange: () => void;
}

/** A sentence about a save that failed. */
function errorText(name: PropertyKey, failure: unknown): string {
  const field = String(name);
  // A person is sent by id.
  const {
    [field]: ofField,
    [`${field}Id`]: ofId,
    '': rest = '',
  } = fieldErrors(errorDetails(failure), [field, `${field}Id`]);
  // Names of other fields are words too: "startDate" is "start date".
  const text = (ofField ?? ofId ?? rest).replaceAll(/\b[A-Za-z][a-z]+[A-Z]\w*/g, (one) =>
    fieldLabel(one.charAt(0).toLowerCase() + one.slice(1)).toLowerCase(),
  );
  return `Not saved. ${sentence(withoutCodes(text))}`;
}

/** Time for which "Saved" is shown. */
const SAVED_MS = 2000;
const UNDECIDED = 'Somebody else changed this field too. Try again to compare both versions.';
const METADATA = new Set(['etag', 'version', 'updatedAt', 'updatedBy', 'active']);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * The fields of one record. Saves them one after the other, each with the entity tag of the state that it changes. Changes of
 * different fields merge. If somebody else changed the same field, the person decides.
 */
class RecordEditor<Values extends object, Item extends Values & RecordItem> {
  readonly #options: RecordOptions<Values, Item>;
  readonly #listeners = new Set<() => void>();
  #state: EditorState<Values, Item>;
  #queue: Promise<void> = Promise.resolve();
  /** The last change by somebody else. */
  #merged: { before: Item; theirs: Item } | undefined;

  constructor(item: Item, options: RecordOptions<Values, Item>) {
    this.#options = options;
    this.#state = { item, drafts: {}, saved: [], conflict: undefined };
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = () => this.#state;

  /** Keeps a value until the field is left. */
  edit<Name extends keyof Values>(name: Name, value: Values[Name]): void {
    const draft = this.#state.drafts[name];
    this.#setDraft(name, { ...(draft ?? { from: this.#state.item[name] }), value, isSaving: false });
  }

  /** Shows the saved value again. */
  restore(name: keyof Values): void {
    const drafts = { ...this.#state.drafts };
    delete drafts[name];
    this.#set({ drafts });
  }

  /** Saves what was entered in a field. */
  save(name: keyof Values): Promise<void> {
    const draft = this.#state.drafts[name];
    if (draft === undefined || draft.isSaving) return this.#queue;
    this.#setDraft(name, { ...draft, isSaving: true, error: undefined });
    const before = this.#queue;
    this.#queue = (async () => {
      await before;
      await this.#send(name);
    })();
    return this.#queue;
  }

  /** Saves every field. @returns true if nothing is left to save */
  async saveAll(): Promise<boolean> {
    for (const name of this.#draftNames()) void this.save(name);
    await this.#queue;
    return this.#draftNames().length === 0;
  }

  /** Runs another action on the record after the saves, and shows the state that it returns. */
  async apply(action: () => Promise<Item>): Promise<void> {
    const done = this.#queue.then(action);
    this.#queue = done.then(
      (item) => this.#show(item),
      // The caller of the action gets its error.
      () => undefined,
    );
    await done;
    await this.#queue;
  }

  async #send(name: keyof Values): Promise<void> {
    try {
      await this.#write(name);
    } catch (failure) {
      const draft = this.#state.drafts[name];
      if (draft !== undefined) this.#setDraft(name, { ...draft, isSaving: false, error: errorText(name, failure) });
    }
  }

  /** Writes a field to the newest state of the record. */
  async #write(name: keyof Values): Promise<void> {
    for (;;) {
      if (this.#conflicts().includes(name)) await this.#decide(name);
      const { item, drafts } = this.#state;
      const draft = drafts[name];
      if (draft === undefined) return;
      const { value, from } = draft;
      if (isSame(value, from) || isSame(value, item[name])) return this.restore(name);
      const changes: Partial<Values> = {};
      changes[name] = value;
      try {
        this.#show(await this.#options.update(changes, item.etag));
        return this.#finish(name, value);
      } catch (error) {
        if (errorDetails(error).status !== 412) throw error;
        const theirs = await this.#options.read();
        this.#merged = { before: item, theirs };
        this.#show(theirs);
      }
    }
  }

  /** Fields whose entered value and whose saved value both differ from the one that the person saw. */
  #conflicts(): (keyof Values)[] {
    const { item, drafts } = this.#state;
    return this.#draftNames().filter((name) => {
      const draft = drafts[name];
      return draft !== undefined && ![draft.from, draft.value].some((value) => isSame(value, item[name]));
    });
  }

  /** Asks the person about all fields in conflict. @throws if the person decides later */
  async #decide(current: keyof Values): Promise<void> {
    const names = this.#conflicts();
    const kept = await this.#ask(names);
    this.#set({ conflict: undefined });
    if (kept === undefined) throw new Error(UNDECIDED);
    for (const name of names) {
      const draft = this.#state.drafts[name];
      if (!kept.has(String(name))) this.restore(name);
      else if (draft !== undefined) this.#setDraft(name, { ...draft, from: this.#state.item[name] });
      if (name !== current) void this.save(name);
    }
  }

  #ask(names: readonly (keyof Values)[]): Promise<ReadonlySet<string> | undefined> {
    const { item, drafts } = this.#state;
    const { before, theirs } = this.#merged ?? { before: item, theirs: item };
    const { promise, resolve } = Promise.withResolvers<ReadonlySet<string> | undefined>();
    const fields = names.map((name) => ({
      name: String(name),
      from: drafts[name]?.from,
      theirs: item[name],
      mine: drafts[name]?.value,
    }));
    const others = Object.entries(theirs).filter(([name]) => !fields.some((field) => field.name === name));
    const { updatedAt, updatedBy } = theirs;
    this.#set({
      conflict: { fields, others: changesOf(before, others), updatedAt, updatedBy, decide: resolve },
    });
    return promise;
  }

  #show(item: Item): void {
    this.#set({ item });
    this.#options.onChange();
  }

  /** Ends a save. A value that the person entered meanwhile stays. */
  #finish(name: keyof Values, sent: unknown): void {
    const draft = this.#state.drafts[name];
    if (draft === undefined || isSame(draft.value, sent)) this.restore(name);
    else this.#setDraft(name, { ...draft, from: this.#state.item[name] });
    this.#set({ saved: [...this.#state.saved, name] });
    setTimeout(() => this.#set({ saved: this.#state.saved.slice(1) }), SAVED_MS);
  }

  #draftNames(): (keyof Values)[] {
    const names: (keyof Values)[] = [];
    for (const name in this.#state.drafts) names.push(name);
    return names;
  }

  #setDraft<Name extends keyof Values>(name: Name, draft: Draft<Values[Name]>): void {
    this.#set({ drafts: { ...this.#state.drafts, [name]: draft } });
  }

  #set(changed: Partial<EditorState<Values, Item>>): void {
    this.#state = { ...this.#state, ...changed };
    for (const listener of this.#listeners) listener();
  }
}

/** `{from, to}` of the fields that differ. */
const changesOf = (before: object, fields: readonly [name: string, value: unknown][]): Record<string, unknown> => {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    fields
      .filter(([name, to]) => !METADATA.has(name) && !isSame(old.get(name), to))
      .map(([name, to]) => [name, { from: old.get(name), to }]),
  );
};

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
      !(await editor.saveAll()) && !window.confirm('This text is not saved. Do you want to leave the page without it?'),
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
