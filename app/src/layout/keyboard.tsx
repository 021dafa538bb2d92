import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Suspense } from 'react';
import { lazyPart } from '../components/upgrade/lazy-part.tsx';
import { useShortcut } from '../components/use-shortcut.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

const CommandPalette = lazyPart(async () => (await import('./command-palette.tsx')).CommandPalette);

interface KeyboardProps {
  isHelpOpen: boolean;
  help: { open: () => void; close: () => void };
}

/** Dialogs that open with the keyboard on every page. */
export function Keyboard({ isHelpOpen, help }: KeyboardProps) {
  const [isPaletteOpen, palette] = useDisclosure();
  useHotkeys([['mod+K', palette.toggle]], []);
  useShortcut('?', help.open);
  return (
    <>
      <Suspense fallback={null}>{isPaletteOpen && <CommandPalette opened onClose={palette.close} />}</Suspense>
      <ShortcutsDialog opened={isHelpOpen} onClose={help.close} />
    </>
  );
}
