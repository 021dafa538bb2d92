import { MultiSelect } from '@mantine/core';
import type { MultiSelectProps } from '@mantine/core';
import type { VendorName } from './names.ts';
import { useVendorSearch, withoutRepeats } from './names.ts';

interface VendorsInputProps extends Pick<
  MultiSelectProps,
  'name' | 'error' | 'errorProps' | 'renderPill' | 'autoFocus'
> {
  /** Chosen vendors. */
  vendors: readonly VendorName[];
  onChange: (uniqueIds: string[]) => void;
}

/** Several vendors, found by name. */
export function VendorsInput({ vendors, onChange, ...rest }: VendorsInputProps) {
  const { found, isLoaded, text, setText, use } = useVendorSearch();
  const chosen = vendors.map(({ uniqueId, name }) => ({ value: uniqueId, label: name ?? '…' }));
  return (
    <MultiSelect
      {...rest}
      label="Vendors"
      data={withoutRepeats([...chosen, ...found])}
      value={chosen.map(({ value }) => value)}
      onChange={onChange}
      searchable
      searchValue={text}
      onSearchChange={setText}
      onFocus={use}
      // The server has searched. What is chosen is above, in the field.
      filter={({ options }) =>
        options.filter((option) => 'value' in option && found.some(({ value }) => value === option.value))
      }
      {...(isLoaded && { nothingFoundMessage: 'No vendor has this name.' })}
      {...(vendors.length === 0 && { placeholder: 'None' })}
    />
  );
}
