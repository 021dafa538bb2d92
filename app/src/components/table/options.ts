/** Values of a filter as people read them. */
export type Options = readonly { value: string; label: string }[];

/** A value of the URL as people read it, even if it is a list: "Todo, Done". */
export const textIn = (options: Options) => (value: string) =>
  value
    .split(',')
    .map((part) => options.find((option) => option.value === part)?.label ?? part)
    .join(', ');

/** The list of the URL if it begins with a value that the filter has. The API validates the others. */
export function knownList<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
): Value | `${Value},${string}` | undefined {
  const first = values.find((value) => text === value || text?.startsWith(`${value},`) === true);
  if (first === undefined || text === undefined || text === first) return first;
  return `${first},${text.slice(first.length + 1)}`;
}

/** The value of the URL if the filter has it. */
export const knownValue = <Value extends string>(
  options: readonly { value: Value }[],
  value: string | undefined,
): Value | undefined => options.find((option) => option.value === value)?.value;
