import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../components/page.tsx';
import { BackLink } from '../../components/table/back-link.tsx';
import { CalendarDate } from '../../components/time.tsx';
import { useSession } from '../../components/use-session.ts';
import { dateText, daysUntil, relativeDate } from '../../dates.ts';
import { openEditing } from '../frameworks/editing.tsx';
import type { Framework } from '../frameworks/kinds.ts';
import './framework.css';

/** The parts of the page of a framework. The first one has no parameter in the URL. */
const PARTS = {
  requirements: 'Requirements',
  gaps: 'Gaps',
  report: 'Report',
  applicability: 'Statement of applicability',
} as const;

export type Part = keyof typeof PARTS;
export const PART_NAMES = ['requirements', 'gaps', 'report', 'applicability'] as const satisfies readonly Part[];

const searchOf = (part: Part) => (part === 'requirements' ? {} : { tab: part });

/** Who is responsible, and when the next audit is. */
function Facts({ framework }: { framework: Framework }) {
  const { isAdmin } = useSession();
  const { owner, auditDate, archivedAt } = framework;
  return (
    <div className="framework-facts">
      <BackLink to="/frameworks">Back to the frameworks</BackLink>
      <span>Owner: {owner?.name ?? 'nobody'}</span>
      <span>
        Next audit:{' '}
        {auditDate === null ? (
          'no date'
        ) : (
          <CalendarDate value={auditDate} addition={daysUntil(auditDate) < 0 ? undefined : relativeDate(auditDate)} />
        )}
      </span>
      {archivedAt !== null && <span>Archived on {dateText(archivedAt)}</span>}
      {isAdmin && (
        <Button variant="default" size="compact-xs" onClick={() => openEditing('frameworks', framework)}>
          Edit framework
        </Button>
      )}
    </div>
  );
}

interface FrameworkFrameProps {
  framework: Framework;
  part: Part;
  /** Buttons in the top line. */
  action?: ReactNode;
  children: ReactNode;
}

/** The page of a framework: its facts, the links to its parts, and one of them. */
export const FrameworkFrame = ({ framework, part, action, children }: FrameworkFrameProps) => (
  <Page title={framework.name} action={action !== undefined && <div className="page-actions">{action}</div>}>
    <h2 className="paper-only paper-part">{PARTS[part]}</h2>
    <Facts framework={framework} />
    <nav className="tabs" aria-label="Parts">
      {PART_NAMES.map((name) => (
        <Link
          key={name}
          to="."
          search={searchOf(name)}
          activeOptions={{ exact: true }}
          aria-current={name === part ? 'page' : undefined}
        >
          {PARTS[name]}
        </Link>
      ))}
    </nav>
    {children}
  </Page>
);
