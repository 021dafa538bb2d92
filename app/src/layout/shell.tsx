import {
  Button,
  Drawer,
  Kbd,
  Modal,
  NativeSelect,
  SegmentedControl,
  Stack,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { queryClient } from '../api/client.ts';
import { sessionEnd } from '../api/session-end.ts';
import { fetchSession, sessionQuery, signOut, switchCompany } from '../api/session.ts';
import { ErrorMessage } from '../components/error-message.tsx';
import { ANNOUNCER, keepFocus } from '../components/focus.ts';
import { Dialogs } from '../components/form/dialog.tsx';
import { BottomBars } from '../components/undo/bottom-bars.tsx';
import { sendDelayed } from '../components/undo/undo.ts';
import { NewVersion } from '../components/new-version.tsx';
import { useSession } from '../components/use-session.ts';
import { useShortcut } from '../components/use-shortcut.ts';
import { timeText } from '../dates.ts';
import { printPage, usePrinting } from '../print/printing.ts';
import { CommandPalette } from './command-palette.tsx';
import { Navigation } from './navigation.tsx';
import { SignInForm } from './sign-in-form.tsx';

const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

interface SidebarProps {
  /** Runs at a click on a link. */
  onNavigate?: () => void;
  /** Opens the keyboard shortcuts; missing in the menu of a narrow window. */
  onHelp?: () => void;
}

/** Company, navigation, shortcuts, colour scheme and sign-out. */
function Sidebar({ onNavigate, onHelp }: SidebarProps) {
  const { company, companies, person } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // Pages of one company must not show data of another, so the whole application is loaded again.
  const leave = useMutation({
    onMutate: sendDelayed,
    mutationFn: signOut,
    onSuccess: () => window.location.assign('/sign-in'),
  });
  const change = useMutation({
    onMutate: sendDelayed,
    mutationFn: switchCompany,
    onSuccess: () => window.location.assign('/'),
  });
  const error = leave.error ?? change.error;
  return (
    <>
      {companies.length > 1 ? (
        <NativeSelect
          label="Company"
          size="xs"
          value={company.id}
          data={companies.map(({ id, name }) => ({ value: String(id), label: name }))}
          onChange={({ currentTarget }) => change.mutate(Number(currentTarget.value))}
        />
      ) : (
        <Text fw={600} px={10} pt={6} truncate>
          {company.name}
        </Text>
      )}
      <Navigation {...(onNavigate !== undefined && { onNavigate })} />
      {onHelp !== undefined && (
        <UnstyledButton className="shortcuts-hint" onClick={onHelp}>
          <Kbd size="xs">?</Kbd> Keyboard shortcuts
        </UnstyledButton>
      )}
      {error !== null && <ErrorMessage error={error} />}
      <SegmentedControl
        size="xs"
        aria-label="Colour scheme"
        data={[...SCHEMES]}
        value={colorScheme}
        onChange={(value) => setColorScheme(SCHEMES.find((scheme) => scheme.value === value)?.value ?? 'auto')}
      />
      <Text size="xs" c="dimmed" px={10} truncate title={person.email}>
        {person.name}
      </Text>
      <Button variant="default" size="xs" loading={leave.isPending} onClick={() => leave.mutate()}>
        Sign out
      </Button>
    </>
  );
}

/** Sign-in over the page after the session ended. The page keeps what was typed, and its requests are then sent again. */
function SessionEndedDialog() {
  const isEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isEnded);
  const { person, company } = useSession();
  const resume = async () => {
    const session = await fetchSession();
    // Data of another person or company must not appear on this page.
    if (session?.person.uniqueId !== person.uniqueId || session.company.id !== company.id) {
      window.location.assign('/');
      return;
    }
    queryClient.setQueryData(sessionQuery.queryKey, session);
    sessionEnd.resume();
  };
  return (
    <Modal opened={isEnded} onClose={() => undefined} withCloseButton={false} title="Sign in again" zIndex={1000}>
      <Stack gap="md">
        <Text size="sm">Your session ended. What you typed is still here.</Text>
        <SignInForm
          email={person.email}
          returnPath={window.location.pathname + window.location.search}
          onSignedIn={resume}
        />
      </Stack>
    </Modal>
  );
}

const SHORTCUTS = [
  ['Ctrl K', 'Find pages, tasks and vendors'],
  ['/', 'Search this list'],
  ['c', 'Create'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['e', 'Mark the row of the inbox as read'],
  ['Ctrl P', 'Print the whole page'],
  ['Ctrl Z', 'Undo, while the message is shown'],
  ['Esc', 'Close a dialog'],
  ['?', 'Show these shortcuts'],
] as const;

function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Table aria-label="Keyboard shortcuts" withRowBorders={false}>
        <Table.Tbody>
          {SHORTCUTS.map(([key, purpose]) => (
            <Table.Tr key={key}>
              <Table.Td w={100}>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{purpose}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

/** The page as a document: black on white, with company and time at the foot of each sheet. */
function Paper() {
  const { company } = useSession();
  const isPrinting = usePrinting();
  useHotkeys([['mod+P', () => void printPage()]], []);
  useEffect(() => {
    if (!isPrinting) return undefined;
    const root = document.documentElement;
    const scheme = root.dataset['mantineColorScheme'];
    root.dataset['mantineColorScheme'] = 'light';
    return () => {
      root.dataset['mantineColorScheme'] = scheme;
    };
  }, [isPrinting]);
  // The margin boxes of a sheet take only text of style sheets.
  useEffect(() => {
    const write = () => {
      const text = `${company.name}, ${timeText(new Date().toISOString())}`;
      document.documentElement.style.setProperty('--paper-foot', JSON.stringify(text));
    };
    write();
    window.addEventListener('beforeprint', write);
    return () => window.removeEventListener('beforeprint', write);
  }, [company.name]);
  return null;
}

interface KeyboardProps {
  isHelpOpen: boolean;
  help: { open: () => void; close: () => void };
}

/** Dialogs that open with the keyboard on every page. */
function Keyboard({ isHelpOpen, help }: KeyboardProps) {
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

/** Frame of all pages of a person who is signed in. */
export function Shell() {
  const { company } = useSession();
  const [isMenuOpen, menu] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  useEffect(keepFocus, []);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <VisuallyHidden id={ANNOUNCER} aria-live="polite" />
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
        returnFocus={false}
        hiddenFrom="sm"
        attributes={{ header: { role: 'none' } }}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className="sidebar drawer-sidebar">
          <Sidebar onNavigate={menu.close} />
        </div>
      </Drawer>
      <Keyboard isHelpOpen={isHelpOpen} help={help} />
      <Dialogs />
      <Paper />
      <SessionEndedDialog />
    </>
  );
}
