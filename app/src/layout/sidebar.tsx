import {
  Button,
  Kbd,
  NativeSelect,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useMutation } from '@tanstack/react-query';
import { switchCompany } from '../api/session.ts';
import { ErrorMessage } from '../components/error-message.tsx';
import { sendDelayed } from '../components/undo/undo.ts';
import { useSession } from '../components/use-session.ts';
import { Navigation } from './navigation.tsx';
import { useSignOut } from './use-sign-out.ts';

const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

interface SidebarProps {
  /** Runs at a click on a link. */
  onNavigate?: () => void;
  /** Opens the search; missing in the menu of a narrow window, whose top line has it. */
  onSearch?: () => void;
  /** Opens the keyboard shortcuts; missing in the menu of a narrow window. */
  onHelp?: () => void;
}

/** Company, search, navigation, shortcuts, colour scheme and sign-out. */
export function Sidebar({ onNavigate, onSearch, onHelp }: SidebarProps) {
  const { company, companies, person } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  // Pages of one company must not show data of another, so the whole application is loaded again.
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
      {onSearch !== undefined && (
        <UnstyledButton className="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={onSearch}>
          <IconSearch size={15} stroke={1.6} aria-hidden />
          Search
          <Kbd size="xs" aria-hidden>
            Ctrl K
          </Kbd>
        </UnstyledButton>
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
