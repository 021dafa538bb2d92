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
    width: '20%',
    className: 'wide-only',
    render: (webhook) => <span title={eventsText(webhook)}>{eventsText(webhook)}</span>,
  },
  {
    id: 'description',
    header: 'Description',
    width: '20%',
    className: 'wide-only',
    render: ({ description }) => <span title={description}>{description}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: '110px',
    render: (webhook) => <StatusDot status={webhookStatus(webhook)} />,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: '176px',
    className: 'wide-only',
    render: ({ disabledReason }) => disabledReason !== null && DISABLED_TEXTS[disabledReason].short,
  },
];
