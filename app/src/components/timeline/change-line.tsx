import { UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useState } from 'react';
import { usePrinting } from '../../print/printing.ts';
import { Changes, isChange } from '../record/changes.tsx';
import { Difference } from '../record/difference.tsx';
import { RecordSentence } from '../record/events/event-sentence.tsx';
import { RecordGroupSentence } from '../record/events/group-sentence.tsx';
import type { EventGroup } from '../record/events/groups.ts';
import { STRUCTURED, reviewNote } from '../record/events/sentence.ts';
import type { HistoryEvent } from '../record/events/words.ts';
import { isLongText } from '../record/values.ts';
import type { FindName } from '../record/values.ts';
import { Time } from '../time.tsx';

interface ChangeLineProps {
  group: EventGroup<HistoryEvent>;
  findName: FindName;
}

/** A change as a sentence. Changes of one minute are one line, which unfolds. */
export const ChangeLine = ({ group, findName }: ChangeLineProps) =>
  group.events.length > 1 ? (
    <Group group={group} findName={findName} />
  ) : (
    <Event event={group.newest} findName={findName} />
  );

interface EventProps {
  event: HistoryEvent;
  findName: FindName;
}

const When = ({ event: { occurredAt } }: Pick<EventProps, 'event'>) => (
  <span className="timeline-time">
    <Time value={occurredAt} isExact />
  </span>
);

const Event = ({ event, findName }: EventProps) => (
  <>
    <RecordSentence event={event} findName={findName} /> <When event={event} />
    <EventDifference event={event} findName={findName} />
  </>
);

/** The note of a review, or the changes of an update, unless its sentence has both values. */
function EventDifference({ event, findName }: EventProps) {
  const { action, changes = {} } = event;
  const [first, ...others] = Object.entries(changes);
  const note = reviewNote(event);
  if (note !== '') return <p className="timeline-note">{note}</p>;
  if (!action.endsWith('.update') || first === undefined) return null;
  const [field, change] = first;
  if (others.length > 0 || STRUCTURED.has(field)) return <Changes changes={changes} findName={findName} />;
  if (!isChange(change) || !(isLongText(field, change.from) || isLongText(field, change.to))) return null;
  return <Difference from={textOf(change.from)} to={textOf(change.to)} />;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function Group({ group, findName }: ChangeLineProps) {
  const [isUnfolded, setIsUnfolded] = useState(false);
  const isPrinting = usePrinting();
  return (
    <>
      <UnstyledButton className="expander" aria-expanded={isUnfolded} onClick={() => setIsUnfolded(!isUnfolded)}>
        <IconChevron size={14} aria-hidden />
        <span>
          <RecordGroupSentence group={group} />
        </span>
      </UnstyledButton>{' '}
      <When event={group.newest} />
      {(isUnfolded || isPrinting) && (
        <ol className="timeline-group">
          {group.events.map((event) => (
            <li key={event.uniqueId}>
              <Event event={event} findName={findName} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
