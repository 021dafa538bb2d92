import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyableId } from '../../components/copyable-id.tsx';
import { Changes } from '../../components/record/changes.tsx';
import { nameOf } from '../../components/record/events/sentence.ts';
import type { AuditEvent } from '../../components/record/events/words.ts';
import type { FindName } from '../../components/record/values.ts';
import { Facts } from '../../components/section/facts.tsx';

interface EventDetailsProps {
  event: AuditEvent;
  findName: FindName;
}

/** The changes of an event, and what an investigation needs. */
export function EventDetails({
  event: { uniqueId, changes, requestId, apiKey, resource },
  findName,
}: EventDetailsProps) {
  return (
    <div className="audit-details">
      {changes === undefined ? (
        <Text size="sm">A newer version of the service wrote this event and shows its changes.</Text>
      ) : (
        <Changes changes={changes} findName={findName} />
      )}
      <Facts
        facts={[
          ['Request id', id(requestId, 'request id')],
          ['Event id', id(uniqueId, 'event id')],
          ['API key', apiKey === null ? undefined : id(apiKey, 'id of the API key of event')],
          [
            'History',
            <Link key="history" to="/audit-log" search={{ resourceId: resource.uniqueId }}>
              All events of {nameOf(resource)}
            </Link>,
          ],
        ]}
      />
    </div>
  );

  function id(value: string, what: string) {
    return value === '' ? undefined : <CopyableId value={value} label={`Copy ${what} ${uniqueId}`} />;
  }
}
