import { UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { CopyableId } from '../../components/copyable-id.tsx';
import { Time } from '../../components/time.tsx';
import { ResourceLink } from '../../components/record/events/resource-link.tsx';
import { actionText, resourceName, typeText } from '../../components/record/events/words.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import type { Column } from '../../components/table/data-table.tsx';

/** Columns of the audit log. The button with the action shows and hides the changes. */
export const columnsOf = (
  expanded: ReadonlySet<string>,
  onToggle: (uniqueId: string) => void,
): readonly Column<AuditEvent>[] => [
  {
    id: 'action',
    header: 'Action',
    render: ({ uniqueId, action }) => (
      <UnstyledButton className="expander" aria-expanded={expanded.has(uniqueId)} onClick={() => onToggle(uniqueId)}>
        <IconChevron size={14} aria-hidden />
        <span>{actionText(action)}</span>
      </UnstyledButton>
    ),
  },
  {
    id: 'resource',
    header: 'Resource',
    width: 280,
    leaves: 2,
    render: (event) => (
      <ResourceLink resource={event.resource}>{resourceName(event) ?? shortId(event.resource)}</ResourceLink>
    ),
  },
  {
    id: 'who',
    header: 'Who',
    width: 170,
    render: ({ actor, apiKey }) => (
      <>
        {actor.name} {apiKey !== null && <span className="quiet">API key</span>}
      </>
    ),
  },
  { id: 'when', header: 'When', width: 130, render: ({ occurredAt }) => <Time value={occurredAt} /> },
  {
    id: 'request',
    header: 'Request id',
    width: 312,
    leaves: 1,
    render: ({ requestId }) => <CopyableId value={requestId} label={`Copy request id ${requestId}`} />,
  },
];

/** The end of an id: ids begin with the time, so the beginnings are alike. */
const shortId = ({ type, uniqueId }: AuditEvent['resource']) =>
  `${typeText(type)} ${uniqueId.length > 12 ? `…${uniqueId.slice(-6)}` : uniqueId}`;
