import { ActionIcon, Tooltip } from '@mantine/core';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import { useCopy } from './use-copy.ts';

/** Copies a text. `label` names it: "Copy key". */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const { copied, copy } = useCopy();
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <Tooltip label={copied ? 'Copied' : label}>
      <ActionIcon variant="subtle" color="gray" size={24} aria-label={label} onClick={() => copy(value)}>
        <Icon size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
