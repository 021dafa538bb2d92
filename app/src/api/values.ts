/** Values of an enum of the API: the keys of a record that has all of them, so that the compiler finds a missing one. */
export const valuesOf = <Value extends string>(record: Readonly<Record<Value, unknown>>): readonly Value[] =>
  Object.keys(record).filter((key): key is Value => Object.hasOwn(record, key));
