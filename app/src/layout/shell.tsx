import { ActionIcon, Drawer, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ANNOUNCER, keepFocus } from '../components/focus.ts';
import { Dialogs } from '../components/form/dialog.tsx';
import { BottomBars } from '../components/undo/bottom-bars.tsx';
import { NewVersion } from '../components/new-version.tsx';
import { useSession } from '../components/use-session.ts';
import { useShortcut } from '../components/use-shortcut.ts';
import { Paper } from '../print/paper.tsx';
import { CommandPalette } from './command-palette.tsx';
import { MenuButton } from './navigation.tsx';
import { SessionEndedDialog } from './session-ended-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { Sidebar } from './sidebar.tsx';

/** Frame of all pages of a person who is signed in. */
export function Shell() {
  const { company } = useSession();
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  useEffect(keepFocus, []);
  useHotkeys([['mod+K', palette.toggle]], []);
  useShortcut('?', help.open);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <VisuallyHidden id={ANNOUNCER} aria-live="polite" />
      <div className="shell">
        <header className="sidebar">
          <Sidebar onSearch={palette.open} onHelp={help.open} />
        </header>
        <header className="narrow-bar">
          <Text fw={600} truncate>
            {company.name}
          </Text>
          <Group gap={8} wrap="nowrap">
            <ActionIcon variant="default" aria-label="Search" onClick={palette.open}>
              <IconSearch size={16} stroke={1.6} aria-hidden />
            </ActionIcon>
            <MenuButton isOpen={isMenuOpen} onOpen={menu.open} />
          </Group>
        </header>
        <main id="main" tabIndex={-1}>
          <NewVersion />
          <Outlet />
          <BottomBars />
        </main>
      </div>
      <Drawer
        opened={isMenuOpen}
        onClose={menu.close}
        title="Menu"
        size={280}
        returnFocus={false}
        hiddenFrom="sm"
        attributes={{ header: { role: 'none' } }}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className="sidebar drawer-sidebar">
          <Sidebar onNavigate={menu.close} />
        </div>
      </Drawer>
      {isPaletteOpen && <CommandPalette onClose={palette.close} />}
      <ShortcutsDialog opened={isHelpOpen} onClose={help.close} />
      <Dialogs />
      <Paper />
      <SessionEndedDialog />
    </>
  );
}
