/** Values of a filter as people read them. */
export type Options = readonly { value: string; label: string }[];

/** A value of the URL as people read it, even if it is a list: "Todo, Done". */
export const textIn = (options: Options) => (value: string) =>
  value
    .split(',')
    .map((part) => options.find((option) => option.value === part)?.label ?? part)
    .join(', ');

/** The value of the URL if the filter has it. */
export const knownValue = <Value extends string>(
  options: readonly { value: Value }[],
  value: string | undefined,
): Value | undefined => options.find((option) => option.value === value)?.value;
