import { UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { usePrinting } from '../print/printing.ts';

interface FoldProps {
  label: ReactNode;
  /** Beside the button. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A part behind a button that unfolds it. Paper has it unfolded. */
export function Fold({ label, aside, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isPrinting = usePrinting();
  if (isPrinting)
    return (
      <>
        <span>{label}</span> {aside}
        {children}
      </>
    );
  return (
    <>
      <UnstyledButton className="expander" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <IconChevron size={14} aria-hidden />
        <span>{label}</span>
      </UnstyledButton>{' '}
      {aside}
      {isOpen && children}
    </>
  );
}
