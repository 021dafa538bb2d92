import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useShortcut } from '../components/use-shortcut.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { CommandPalette } from './command-palette.tsx';

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
      {isPaletteOpen && <CommandPalette opened onClose={palette.close} />}
      <ShortcutsDialog opened={isHelpOpen} onClose={help.close} />
    </>
  );
}
