import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import type { VendorName } from './use-vendor-names.ts';
import { useVendorSearch, withoutRepeats } from './use-vendor-search.ts';

interface VendorSelectProps extends Pick<
  SelectProps,
  'label' | 'placeholder' | 'size' | 'clearable' | 'comboboxProps'
> {
  /** The chosen vendor; undefined for none. */
  current: VendorName | undefined;
  onChange: (uniqueId: string | null) => void;
}

/** One vendor, found by name. */
export function VendorSelect({ current, onChange, ...rest }: VendorSelectProps) {
  const { found, isLoaded, setText, use } = useVendorSearch();
  const chosen = current === undefined ? [] : [{ value: current.uniqueId, label: current.name ?? '…' }];
  const options = withoutRepeats([...chosen, ...found]);
  return (
    <Select
      {...rest}
      data={options}
      value={current?.uniqueId ?? null}
      onChange={onChange}
      allowDeselect={false}
      searchable
      // The text of a choice searches for nothing.
      onSearchChange={(text) => setText(options.some(({ label }) => label === text) ? '' : text)}
      onFocus={use}
      {...(isLoaded && { nothingFoundMessage: 'No vendor has this name.' })}
    />
  );
}
