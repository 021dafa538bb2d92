import type { FindName } from '../values.ts';
import { ResourceName } from './resource-name.tsx';
import { joined, nameOf, sentenceOf, shortName, subjectOf } from './sentence.ts';
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
