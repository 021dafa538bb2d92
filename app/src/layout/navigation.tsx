import { Button, Text, UnstyledButton } from '@mantine/core';
import IconBuilding from '@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs';
import IconChecklist from '@tabler/icons-react/dist/esm/icons/IconChecklist.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconInbox from '@tabler/icons-react/dist/esm/icons/IconInbox.mjs';
import IconKey from '@tabler/icons-react/dist/esm/icons/IconKey.mjs';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import IconQuestion from '@tabler/icons-react/dist/esm/icons/IconMessageQuestion.mjs';
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs';
import IconStack from '@tabler/icons-react/dist/esm/icons/IconStack2.mjs';
import IconUser from '@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { Search } from '../api/search.ts';
import { useUnreadCount } from '../components/inbox/unread.ts';
import { useSession } from '../components/use-session.ts';
import { useViews } from '../components/views/use-views.ts';
import { FIXED_VIEWS, VIEW_PATHS, viewPath } from '../components/views/view.ts';

/** Views of a page that are shown before a person asks for more. */
const MAX_SHOWN = 6;

interface ViewLinksProps {
  /** Path of a page of the navigation. */
  path: string;
  /** Name of the page. */
  label: string;
  /** Runs at a click on a link. */
  onNavigate: (() => void) | undefined;
}

/** The views of a page, below its link. Those that are shared say so. */
function ViewLinks({ path, label, onNavigate }: ViewLinksProps) {
  const { views, error } = useViews();
  const current: Search = useSearch({ strict: false });
  const [isLong, setIsLong] = useState(false);
  const own = views.filter(({ page }) => VIEW_PATHS[page] === path);
  const fixed = FIXED_VIEWS.filter(({ page }) => VIEW_PATHS[page] === path);
  const shown = own.filter(({ uniqueId }, index) => isLong || index < MAX_SHOWN || uniqueId === current['saved']);
  const more = own.length - shown.length;
  if (own.length === 0 && fixed.length === 0) return null;
  return (
    <ul aria-label={`Views of ${label}`}>
      {fixed.map(({ name, search }) => (
        <li key={name}>
          <Link to={path} search={search} activeOptions={{ exact: true }} onClick={onNavigate}>
            {name}
          </Link>
        </li>
      ))}
      {shown.map((view) => (
        <li key={view.uniqueId}>
          <Link
            to={viewPath(view)}
            aria-current={view.uniqueId === current['saved'] ? 'page' : undefined}
            title={`${view.name}, of ${view.owner.name}`}
            dir="auto"
            onClick={onNavigate}
          >
            {view.name}
          </Link>
          {view.shared && <span className="view-mark">shared</span>}
        </li>
      ))}
      {(more > 0 || isLong) && (
        <li>
          <UnstyledButton className="shortcuts-hint" onClick={() => setIsLong(!isLong)}>
            {isLong ? 'Show fewer views' : `Show ${more.toLocaleString('en')} more ${more === 1 ? 'view' : 'views'}`}
          </UnstyledButton>
        </li>
      )}
      {path === VIEW_PATHS.tasks && error !== null && (
        <li>
          <Text size="xs" c="dimmed" px={10}>
            The other views could not be loaded.
          </Text>
        </li>
      )}
    </ul>
  );
}

const PAGES = [
  { to: '/', label: 'Overview', Icon: IconLayoutDashboard },
  { to: '/inbox', label: 'Inbox', Icon: IconInbox },
  // Closed tasks with old dates would be the first of all.
  { to: '/tasks', label: 'Tasks', Icon: IconChecklist, search: { status: 'open' } },
  { to: '/vendors', label: 'Vendors', Icon: IconBuilding },
  { to: '/frameworks', label: 'Frameworks', Icon: IconStack },
  { to: '/questions', label: 'Questions', Icon: IconQuestion, search: { resolved: 'false' } },
  { to: '/api-keys', label: 'API keys', Icon: IconKey, isManagement: true },
  { to: '/audit-log', label: 'Audit log', Icon: IconHistory },
  { to: '/members', label: 'Members', Icon: IconUsers },
  { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook, isManagement: true },
  { to: '/imports', label: 'Imports', Icon: IconFileImport },
  { to: '/settings', label: 'Settings', Icon: IconSettings, isManagement: true },
  { to: '/account', label: 'Account', Icon: IconUser },
] as const;

/** Pages of the navigation, also in the command palette. */
export function useNavigation() {
  const { canReadManagement } = useSession();
  return PAGES.filter((page) => canReadManagement || !('isManagement' in page));
}

/** Number from which on the badge says only that there are more. */
const MAX_BADGE = 99;

/** The number of unread items, beside a word. The accessible name has it in words. */
const UnreadBadge = ({ unread }: { unread: number }) =>
  unread > 0 && <span className="unread-badge" data-count={unread > MAX_BADGE ? `${MAX_BADGE}+` : unread} />;

const withUnread = (label: string, unread: number): string | undefined =>
  unread > 0 ? `${label}, ${unread.toLocaleString('en')} unread` : undefined;

/** Opens the navigation of a narrow window, and says that the inbox has unread items. */
export function MenuButton({ isOpen, onOpen }: { isOpen: boolean; onOpen: () => void }) {
  const unread = useUnreadCount() ?? 0;
  return (
    <Button
      variant="default"
      size="xs"
      aria-expanded={isOpen}
      aria-label={withUnread('Menu', unread)}
      rightSection={unread > 0 && <UnreadBadge unread={unread} />}
      onClick={onOpen}
    >
      Menu
    </Button>
  );
}

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const unread = useUnreadCount() ?? 0;
  const ref = useRef<HTMLElement>(null);
  const href = useLocation({ select: (location) => location.href });
  // In a low window the place where the person is may be below the edge.
  useEffect(() => {
    ref.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' });
  }, [href]);
  return (
    <nav className="navigation" aria-label="Main" ref={ref}>
      {useNavigation().map(({ to, label, Icon, ...page }) => (
        <Fragment key={to}>
          <Link
            to={to}
            search={'search' in page ? page.search : {}}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            aria-label={to === '/inbox' ? withUnread(label, unread) : undefined}
            onClick={onNavigate}
          >
            <Icon size={17} stroke={1.6} aria-hidden />
            {label}
            {to === '/inbox' && <UnreadBadge unread={unread} />}
          </Link>
          <ViewLinks path={to} label={label} onNavigate={onNavigate} />
        </Fragment>
      ))}
    </nav>
  );
}
