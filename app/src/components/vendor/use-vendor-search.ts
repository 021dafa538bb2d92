import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '../../api/client.ts';

const DELAY_MS = 200;
/** Vendors that a list offers at once. A person types to find others. */
const MAX_OFFERED = 20;

/** Vendors whose names have what a person types, found by the server. Nothing is loaded before the field has the focus. */
export function useVendorSearch() {
  const [isUsed, setIsUsed] = useState(false);
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), DELAY_MS);
  const input = { limit: MAX_OFFERED, ...(q !== '' && { q }) };
  const { data } = useQuery(
    trpc.vendor.page.queryOptions(input, { enabled: isUsed, placeholderData: keepPreviousData }),
  );
  return {
    found: (data?.items ?? []).map(({ uniqueId, name, status }) => ({
      value: uniqueId,
      label: status === 'archived' ? `${name} (archived)` : name,
    })),
    isLoaded: data !== undefined,
    text,
    setText,
    use: () => setIsUsed(true),
  };
}

/** Options without a second one of the same vendor. */
export const withoutRepeats = <Option extends { value: string }>(options: readonly Option[]): Option[] =>
  options.filter(({ value }, index) => options.findIndex((one) => one.value === value) === index);
