import { Link } from '@tanstack/react-router';
import { StatusDot } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { DISABLED_TEXTS, eventsText, webhookStatus } from './webhook.ts';
import type { Webhook } from './webhook.ts';

export const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'URL',
    render: ({ uniqueId, url }) => (
      <Link to="/webhooks/$uniqueId" params={{ uniqueId }} title={url}>
        {url}
      </Link>
    ),
  },
  {
    id: 'events',
    header: 'Events',
    width: 200,
    leaves: 2,
    className: 'wrap',
    render: (webhook) => <span title={eventsText(webhook)}>{eventsText(webhook)}</span>,
  },
  {
    id: 'description',
    header: 'Description',
    width: 200,
    leaves: 1,
    render: ({ description }) => <span title={description}>{description}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 110,
    render: (webhook) => <StatusDot status={webhookStatus(webhook)} />,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 176,
    leaves: 3,
    render: ({ disabledReason }) => disabledReason !== null && DISABLED_TEXTS[disabledReason].short,
  },
];
