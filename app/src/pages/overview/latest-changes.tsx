import { EventSentence } from '../../components/record/events/event-sentence.tsx';
import type { AuditEvent } from '../../components/record/events/words.ts';
import { Time } from '../../components/time.tsx';

/** The newest events of the audit log as sentences. */
export function LatestChanges({ events }: { events: readonly AuditEvent[] }) {
  if (events.length === 0) return <p className="quiet-text">Nothing has changed yet.</p>;
  return (
    <ul className="panel-list">
      {events.map((event) => (
        <li key={event.uniqueId}>
          <span className="grow">
            <EventSentence event={event} />
          </span>
          <Time value={event.occurredAt} />
        </li>
      ))}
    </ul>
  );
}
