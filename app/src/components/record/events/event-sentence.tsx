import { Fragment } from 'react';
import type { FindName } from '../values.ts';
import type { EventGroup } from './groups.ts';
import { ResourceName } from './resource-link.tsx';
import { fieldsText, joined, nameOf, sentenceOf, shortName, subjectOf } from './sentence.ts';
import { wordsOf } from './words.ts';
import type { AuditEvent, HistoryEvent } from './words.ts';

/** An event as a sentence: "Ann changed the status of Review access rights from To do to Done". */
export function EventSentence({ event, findName }: { event: AuditEvent; findName: FindName }) {
  const { verb, link, rest } = sentenceOf(event, findName);
  if (wordsOf(event.action).isReflexive === true)
    return (
      <>
        <b>{event.actor.name}</b> {verb}
      </>
    );
  return (
    <>
      <b>{event.actor.name}</b> {joined(verb, link)} <ResourceName resource={subjectOf(event)} />
      {rest !== '' && ` ${rest}`}
    </>
  );
}

/** The same as plain text. */
export function eventText(event: AuditEvent, findName: FindName): string {
  const { verb, link, rest } = sentenceOf(event, findName);
  const name = wordsOf(event.action).isReflexive === true ? '' : nameOf(subjectOf(event));
  return joined(event.actor.name, verb, link, name, rest);
}

/** An event on the page of its resource: "Ann changed the status from To do to Done". */
export function RecordSentence({ event, findName }: { event: HistoryEvent; findName: FindName }) {
  const { verb, link, rest, own = link === 'of' ? '' : shortName(event) } = sentenceOf(event, findName);
  return (
    <>
      <b>{event.actor.name}</b> {joined(verb, own, rest)}
    </>
  );
}

/** Resources whose names a sentence has. More of them are counted. */
const MAX_NAMES = 3;

/** Events of a group: "60", or "at least 60" while older ones are not loaded. */
const countText = (count: number, isOpen: boolean): string =>
  `${isOpen ? 'at least ' : ''}${count.toLocaleString('en')}`;

const times = ({ events, isOpen }: EventGroup<HistoryEvent>) => `${countText(events.length, isOpen)} times`;

/** Fields that the updates of a group changed, the first one first. */
const changedFields = ({ events }: EventGroup<HistoryEvent>) => [
  ...new Set(events.toReversed().flatMap(({ changes = {} }) => Object.keys(changes))),
];

/** Words for one resource that changed again and again: "changed the name and status", "of". */
function repeated(group: EventGroup<HistoryEvent>) {
  const { action, parent } = group.newest;
  const { verb, one } = wordsOf(action);
  const fields = changedFields(group);
  return action.endsWith('.update') && parent === null && fields.length > 0
    ? { verb: `changed ${fieldsText(fields)}`, link: 'of' }
    : { verb, link: one };
}

const distinctResources = ({ events }: EventGroup<AuditEvent>) => [
  ...new Map(events.map(subjectOf).map((resource) => [`${resource.type} ${resource.uniqueId}`, resource])).values(),
];

/** "created 60 vendors", "added a passkey to their own account 2 times" */
function counted(group: EventGroup<AuditEvent>): string {
  const { verb, many, isReflexive = false } = wordsOf(group.newest.action);
  if (isReflexive) return `${verb} ${times(group)}`;
  const count = distinctResources(group).length;
  const isRepeated = count < group.events.length;
  return `${verb} ${countText(count, group.isOpen)} ${many}${isRepeated ? `, ${times(group)}` : ''}`;
}

/** Several events as one sentence: "Ann created 60 vendors: Vendor 60, Vendor 59 and 58 more". */
export function GroupSentence({ group }: { group: EventGroup<AuditEvent> }) {
  const resources = distinctResources(group);
  const [resource] = resources;
  const { actor, action } = group.newest;
  if (wordsOf(action).isReflexive === true)
    return (
      <>
        <b>{actor.name}</b> {counted(group)}
      </>
    );
  if (resource !== undefined && resources.length === 1) {
    const { verb, link } = repeated(group);
    return (
      <>
        <b>{actor.name}</b> {joined(verb, link)} <ResourceName resource={resource} /> {times(group)}
      </>
    );
  }
  const named = resources.slice(0, resources.length > MAX_NAMES ? MAX_NAMES - 1 : MAX_NAMES);
  const rest = resources.length - named.length;
  return (
    <>
      <b>{actor.name}</b> {counted(group)}:{' '}
      {named.map((one, index) => (
        <Fragment key={one.uniqueId}>
          {index > 0 && (index === resources.length - 1 ? ' and ' : ', ')}
          <ResourceName resource={one} />
        </Fragment>
      ))}
      {rest > 0 && ` and ${rest.toLocaleString('en')} more`}
    </>
  );
}

/** The same as plain text, without the names. */
export const groupText = (group: EventGroup<AuditEvent>): string => `${group.newest.actor.name} ${counted(group)}`;

/** Several events on the page of their resource: "Ann changed the name and status 3 times", "Ann attached 3 pieces of evidence". */
export function RecordGroupSentence({ group }: { group: EventGroup<HistoryEvent> }) {
  const { newest, events, isOpen } = group;
  if (newest.resource.type === 'evidence' && !newest.action.endsWith('.update')) {
    const { verb: done, many } = wordsOf(newest.action);
    return (
      <>
        <b>{newest.actor.name}</b> {joined(done, countText(events.length, isOpen), many)}
      </>
    );
  }
  const { verb, link } = repeated(group);
  return (
    <>
      <b>{newest.actor.name}</b> {joined(verb, link === 'of' ? '' : shortName(newest))} {times(group)}
    </>
  );
}
