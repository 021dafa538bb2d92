import { ResourceLink } from './resource-link.tsx';
import { changeText, resourceName, typeText } from './words.ts';
import type { AuditEvent } from './words.ts';

/** An event as a sentence: "Ann changed the due date of a task". */
export function EventSentence({ event }: { event: AuditEvent }) {
  const { actor, resource, action } = event;
  const name = resourceName(event);
  const text = typeText(resource.type);
  const article = /^[aeiou]/i.test(text) ? 'an' : 'a';
  const label = name === undefined ? `${article} ${text}` : `the ${text} “${name}”`;
  return (
    <>
      <b>{actor.name}</b> {changeText(event)}{' '}
      {action.endsWith('.delete') ? label : <ResourceLink resource={resource}>{label}</ResourceLink>}
    </>
  );
}
