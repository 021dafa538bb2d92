import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useEffect, useRef, useState } from 'react';
import { useShortcut } from '../use-shortcut.ts';

const DELAY_MS = 200;

interface SearchFieldProps {
  /** Accessible name: "Search vendors". */
  label: string;
  /** Current value of the URL. */
  value: string | undefined;
  onChange: (value: string) => void;
}

/** A search that is applied while one types. `/` focuses it. */
export function SearchField({ label, value = '', onChange }: SearchFieldProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const apply = useDebouncedCallback(onChange, DELAY_MS);
  useEffect(() => {
    if (document.activeElement !== ref.current) setText(value);
  }, [value]);
  useShortcut('/', () => {
    ref.current?.select();
    ref.current?.focus();
  });
  return (
    <TextInput
      ref={ref}
      type="search"
      size="xs"
      w={200}
      maw="100%"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        apply(currentTarget.value.trim());
      }}
    />
  );
}
