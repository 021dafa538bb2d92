import { timeText } from '../../../dates.ts';
import { isChange } from '../changes.tsx';
import { REFERENCES, fieldLabel, isEmpty, isLongText, isReview, numberText, valueText } from '../values.ts';
import { statusText } from '../../status-dot.tsx';
import { criticalityText } from '../../vendor/choices.ts';
import type { FindName } from '../values.ts';
import { typeText, wordsOf } from './words.ts';
import type { AuditEvent, HistoryEvent } from './words.ts';

/** A sentence around the name of a resource: "changed the status", "of", the name, "from To do to Done". */
export interface Sentence {
  verb: string;
  /** Words between the verb and the name. */
  link: string;
  /** Words after the name. */
  rest: string;
  /** In place of the link and the name on the page of the resource; missing for the usual words. */
  own?: string;
}

/** Fields whose change has verbs of its own: for a value, and for none. The first one that changed decides. */
const FIELD_VERBS = {
  leakedAt: ['reported a leak of', 'withdrew a report about'],
  enabled: ['enabled', 'disabled'],
  archivedAt: ['archived', 'restored'],
  singleSignOn: ['linked single sign-on to', 'unlinked single sign-on from'],
} as const;

/** The sentence of an event without its actor and the name of its resource. */
export function sentenceOf(event: HistoryEvent, findName?: FindName): Sentence {
  const { action, resource, parent, changes = {} } = event;
  if (resource.type === 'evidence') return evidenceSentence(event, findName);
  const { verb, one } = wordsOf(action);
  if (action === 'comment.create' && changes['kind'] === 'question')
    return { verb: 'asked', link: 'a question on', rest: '', own: 'a question' };
  if (action === 'comment.resolve' || action === 'comment.reopen')
    return { verb, link: one, rest: '', own: 'a question' };
  if (action === 'vendor.review')
    return { verb, link: one, rest: joined(outcomeText(changes['lastReview']), nextReviewText(changes['nextReview'])) };
  if (action === 'requirement.assess') return assessmentSentence(changes['assessment']);
  const [first, ...others] = Object.entries(changes);
  if (!action.endsWith('.update') || parent !== null || first === undefined) return { verb, link: one, rest: '' };
  const { identity } = changes;
  // A digest, which tells people nothing.
  if (isChange(identity))
    return { verb: `${identity.from === null ? 'recorded' : 'changed'} the name or email of`, link: one, rest: '' };
  for (const [field, [set, unset]] of Object.entries(FIELD_VERBS)) {
    const change = changes[field];
    if (isChange(change)) {
      const isSet = change.to !== null && change.to !== false;
      return { verb: isSet ? set : unset, link: one, rest: '' };
    }
  }
  const [field, change] = first;
  if (others.length > 0 || !isChange(change))
    return { verb: `changed ${fieldsText(Object.keys(changes))}`, link: 'of', rest: '' };
  return { link: 'of', ...changeText(field, change.from, change.to, findName) };
}

/** The sentence of evidence around the name of its task or vendor: "attached “Review.pdf”", "to". */
function evidenceSentence({ action, resource, changes = {} }: HistoryEvent, findName: FindName | undefined): Sentence {
  const given = 'name' in resource ? resource.name : changes['name'];
  // The isolates keep a name with letters from right to left from reordering the sentence.
  const name = typeof given === 'string' ? `“\u2068${given}\u2069”` : 'evidence';
  if (action === 'evidence.create') return { verb: `attached ${name}`, link: 'to', rest: '', own: '' };
  if (action === 'evidence.delete') return { verb: `removed ${name}`, link: 'from', rest: '', own: '' };
  if (action === 'evidence.check')
    return { verb: `${checkVerb(changes['check'])} ${name}`, link: 'of', rest: '', own: '' };
  const of = { link: `of ${name} of`, own: `of ${name}` };
  const [first, ...others] = Object.entries(changes);
  if (first === undefined || others.length > 0 || !isChange(first[1]))
    return { verb: `changed ${fieldsText(Object.keys(changes))}`, rest: '', ...of };
  return { ...changeText(first[0], first[1].from, first[1].to, findName), ...of };
}

/** What a check of evidence did. */
const checkVerb = (change: unknown): string =>
  isChange(change) && isAssessment(change.to) ? change.to.result : 'withdrew the check of';

/** What a review found: "as approved with low risk". */
function outcomeText(change: unknown): string {
  if (!isChange(change) || !isReview(change.to)) return '';
  const { outcome, risk } = { outcome: null, risk: null, ...change.to };
  return joined(
    typeof outcome === 'string' ? `as ${statusText(outcome).toLowerCase()}` : '',
    typeof risk === 'number' ? `with ${criticalityText(risk).toLowerCase()} risk` : '',
  );
}

/** The next review that a review set: "and set the next review to 12 Oct 2027". */
function nextReviewText(change: unknown): string {
  if (!isChange(change)) return '';
  return isEmpty(change.to)
    ? 'and removed the next review'
    : `and set the next review to ${valueText('nextReview', change.to)}`;
}

/** What an assessment found: "assessed", the name, "as partly met". */
function assessmentSentence(change: unknown): Sentence {
  if (!isChange(change) || !isAssessment(change.to)) return { verb: 'withdrew the assessment of', link: '', rest: '' };
  return { verb: 'assessed', link: '', rest: `as ${statusText(change.to.result).toLowerCase()}` };
}

const isAssessment = (value: unknown): value is { result: string } =>
  isReview(value) && 'result' in value && typeof value.result === 'string';

/** Fields of actions that have a note. */
const NOTED: Readonly<Record<string, string>> = {
  'vendor.review': 'lastReview',
  'requirement.assess': 'assessment',
  'evidence.check': 'check',
};

/** The note of a review, an assessment or a check; empty without one. */
export function reviewNote({ action, changes = {} }: HistoryEvent): string {
  const change = changes[NOTED[action] ?? ''];
  return isChange(change) && isReview(change.to) ? change.to.note : '';
}

/** A change of one field, with its values if a person can read them in a sentence. */
function changeText(field: string, from: unknown, to: unknown, findName: FindName | undefined) {
  const name = fieldsText([field]);
  if (!isReadable(field, from, findName) || !isReadable(field, to, findName))
    return { verb: `changed ${name}`, rest: '' };
  const [before, after] = [from, to].map((value) => valueText(field, value, findName));
  if (isEmpty(from)) return { verb: `set ${name}`, rest: `to ${after}` };
  if (isEmpty(to)) return { verb: `removed ${name} ${before}`, rest: '' };
  return { verb: `changed ${name}`, rest: `from ${before} to ${after}` };
}

/** Fields whose values a sentence has no room for: their change is below it. */
export const STRUCTURED = new Set(['contacts', 'recurrence']);

/** True for a short value whose text has no ids and no structure. */
function isReadable(field: string, value: unknown, findName: FindName | undefined): boolean {
  if (STRUCTURED.has(field)) return false;
  if (Array.isArray(value)) return value.every((item) => isReadable(field, item, findName));
  if (typeof value === 'number') return numberText(field, value, findName) !== undefined;
  if (REFERENCES[field] !== undefined && typeof value === 'string') return findName?.(field, value) !== undefined;
  return (typeof value !== 'object' || value === null || 'name' in value) && !isLongText(field, value);
}

const list = new Intl.ListFormat('en');
const MAX_FIELDS = 3;

/** Names of fields that read badly as their label. */
const IN_SENTENCES: Readonly<Record<string, string>> = { validUntil: 'last day of validity' };

/** Names of fields in a sentence: "the due date and status". */
export function fieldsText(fields: readonly string[]): string {
  const names = fields.map((field) => IN_SENTENCES[field] ?? lowerCase(fieldLabel(field)));
  const rest = names.length - MAX_FIELDS;
  return `the ${list.format(rest > 1 ? [...names.slice(0, MAX_FIELDS), `${rest} more fields`] : names)}`;
}

/** A label within a sentence. "URL" keeps its letters. */
const lowerCase = (label: string): string => (/^[A-Z]{2}/.test(label) ? label : label.toLowerCase());

/** The resource of an event. A proof is called by its time. */
export function resourceOf({ action, resource, changes = {} }: AuditEvent): AuditEvent['resource'] {
  const { asOf } = changes;
  if (resource.type !== 'proof' || typeof asOf !== 'string') return resource;
  return { ...resource, name: `proof of ${timeText(asOf)}`, isDeleted: action === 'proof.delete' };
}

/** The resource that a sentence names: of a comment, the task or vendor that it is on. */
export const subjectOf = (event: AuditEvent): AuditEvent['resource'] => event.parent ?? resourceOf(event);

/** Name of a resource in a sentence: its type if there is only one, the end of its id if it has none. Ids begin with the time. */
export function nameOf({ type, uniqueId, name }: AuditEvent['resource']): string {
  if (name !== null) return name;
  if (type === 'sso') return typeText(type);
  return uniqueId.length > 12 ? `…${uniqueId.slice(-6)}` : uniqueId;
}

/** The resource of an event on the page of its record: "this task", or "a comment" that is on it. */
export const shortName = ({ resource, parent }: HistoryEvent): string =>
  resource.type === 'evidence' ? 'evidence' : `${parent === null ? 'this' : 'a'} ${typeText(resource.type)}`;

/** The words of a sentence, without those that are empty. */
export const joined = (...words: readonly string[]): string => words.filter((word) => word !== '').join(' ');
