import IconBuilding from '@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs';
import IconChecklist from '@tabler/icons-react/dist/esm/icons/IconChecklist.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconInbox from '@tabler/icons-react/dist/esm/icons/IconInbox.mjs';
import IconKey from '@tabler/icons-react/dist/esm/icons/IconKey.mjs';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import IconStack from '@tabler/icons-react/dist/esm/icons/IconStack2.mjs';
import IconUser from '@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useUnreadCount } from '../components/inbox/unread.ts';
import { useSession } from '../components/use-session.ts';
import { ViewLinks } from './view-links.tsx';

const PAGES = [
  { to: '/', label: 'Overview', Icon: IconLayoutDashboard },
  { to: '/inbox', label: 'Inbox', Icon: IconInbox },
  { to: '/tasks', label: 'Tasks', Icon: IconChecklist },
  { to: '/vendors', label: 'Vendors', Icon: IconBuilding },
  { to: '/frameworks', label: 'Frameworks', Icon: IconStack },
  { to: '/api-keys', label: 'API keys', Icon: IconKey, isManagement: true },
  { to: '/audit-log', label: 'Audit log', Icon: IconHistory },
  { to: '/members', label: 'Members', Icon: IconUsers },
  { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook, isManagement: true },
  { to: '/imports', label: 'Imports', Icon: IconFileImport },
  { to: '/account', label: 'Account', Icon: IconUser },
] as const;

/** Pages of the navigation, also in the command palette. */
export function useNavigation() {
  const { canReadManagement } = useSession();
  return PAGES.filter((page) => canReadManagement || !('isManagement' in page));
}

/** Number from which on the badge says only that there are more. */
const MAX_BADGE = 99;

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const unread = useUnreadCount() ?? 0;
  return (
    <nav className="navigation" aria-label="Main">
      {useNavigation().map(({ to, label, Icon }) => (
        <Fragment key={to}>
          <Link
            to={to}
            activeOptions={{ exact: to === '/' }}
            aria-label={to === '/inbox' && unread > 0 ? `${label}, ${unread.toLocaleString('en')} unread` : undefined}
            onClick={onNavigate}
          >
            <Icon size={17} stroke={1.6} aria-hidden />
            {label}
            {to === '/inbox' && unread > 0 && (
              <span className="unread-badge" data-count={unread > MAX_BADGE ? `${MAX_BADGE}+` : unread} />
            )}
          </Link>
          <ViewLinks path={to} label={label} onNavigate={onNavigate} />
        </Fragment>
      ))}
    </nav>
  );
}
