export interface RecordItem {
  etag: string;
  updatedAt: string;
  updatedBy: { name: string };
}

export interface Draft<Value> {
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

export interface EditorState<Values, Item> {
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
