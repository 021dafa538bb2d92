import { Alert, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../../components/use-session.ts';
import { DISABLED_TEXTS } from '../webhook.ts';
import type { Webhook } from '../webhook.ts';

/** Why an endpoint is disabled, and what to do. */
export function DisabledNotice({ webhook: { uniqueId, disabledReason } }: { webhook: Webhook }) {
  const { isAdmin } = useSession();
  if (disabledReason === null) return null;
  const { title, cause, advice } = DISABLED_TEXTS[disabledReason];
  return (
    <Alert
      color={disabledReason === 'manual' ? 'indigo' : 'red'}
      variant="outline"
      role="note"
      aria-label={title}
      title={title}
    >
      <Text size="sm">{cause}</Text>
      <Text size="sm" mt={4}>
        {isAdmin ? advice : `An admin can help: ${advice.charAt(0).toLowerCase()}${advice.slice(1)}`}
      </Text>
      <Text size="sm" mt={4}>
        <Link to="/audit-log" search={{ resourceType: 'webhook', resourceId: uniqueId }}>
          Changes of this endpoint in the audit log
        </Link>
      </Text>
    </Alert>
  );
}
