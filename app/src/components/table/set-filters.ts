/** A filter of the URL. */
export interface Filter<Parameter extends string> {
  parameter: Parameter;
  /** "Status" */
  name: string;
  /** The value as people read it; by default the value. */
  textOf?: (value: string) => string;
}

/** A filter that is set. */
export interface SetFilter {
  name: string;
  /** "Open" */
  text: string;
  remove: () => void;
}

/** The filters that are set, with the functions that remove them. */
export const setFiltersOf = <Parameter extends string>(
  filters: readonly Filter<Parameter>[],
  values: { [Name in Parameter]?: string | undefined },
  remove: (parameter: Parameter) => void,
): SetFilter[] =>
  filters.flatMap(({ parameter, name, textOf = (value) => value }) => {
    const value = values[parameter];
    return value === undefined ? [] : [{ name, text: textOf(value), remove: () => remove(parameter) }];
  });
