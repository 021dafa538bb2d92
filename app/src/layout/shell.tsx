import { Button, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { BottomBars } from '../components/undo/bottom-bars.tsx';
import { useSession } from '../components/use-session.ts';
import { Keyboard } from './keyboard.tsx';
import { NewVersion } from '../components/upgrade/new-version.tsx';
import { SessionEndedDialog } from './session-ended-dialog.tsx';
import { Paper } from '../print/paper.tsx';
import { Sidebar } from './sidebar.tsx';

/** Frame of all pages of a person who is signed in. */
export function Shell() {
  const { company } = useSession();
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <div className="shell">
        <header className="sidebar">
          <Sidebar onHelp={help.open} />
        </header>
        <header className="narrow-bar">
          <Text fw={600} truncate>
            {company.name}
          </Text>
          <Button variant="default" size="xs" aria-expanded={isMenuOpen} onClick={menu.open}>
            Menu
          </Button>
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
        hiddenFrom="sm"
        attributes={{ header: { role: 'none' } }}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className="sidebar drawer-sidebar">
          <Sidebar onNavigate={menu.close} />
        </div>
      </Drawer>
      <Keyboard isHelpOpen={isHelpOpen} help={help} />
      <Paper />
      <SessionEndedDialog />
    </>
  );
}
