import type { InboxItem } from '../../components/inbox/marks.ts';
import { dateText, daysUntil } from '../../dates.ts';
import { joined } from '../../components/record/events/sentence.ts';
import type { ItemGroup } from './groups.ts';

type Reason = InboxItem['reason'];
type ResourceType = InboxItem['resource']['type'];

/** Words before and after a name. */
type Words = readonly [before: string, after: string];

/** The words of each reason: around one name, and around a number such as "12 tasks". */
const WORDS: Readonly<Record<Reason, readonly [one: Words, many: Words]>> = {
  assigned: [
    ['assigned', 'to you'],
    ['assigned', 'to you'],
  ],
  mentioned: [
    ['mentioned you in a comment on', ''],
    ['mentioned you in comments on', ''],
  ],
  approve: [
    ['asks you to approve', ''],
    ['asks you to approve', ''],
  ],
  question: [
    ['asked a question about', ''],
    ['asked questions about', ''],
  ],
  answer: [
    ['replied to your question about', ''],
    ['replied to your questions about', ''],
  ],
  rejected: [
    ['rejected evidence of', ''],
    ['rejected evidence of', ''],
  ],
  status: [
    ['changed the status of', ''],
    ['changed the status of', ''],
  ],
  commented: [
    ['commented on', ''],
    ['commented on', ''],
  ],
  due: [
    ['', 'is due soon'],
    ['', 'are due soon'],
  ],
  overdue: [
    ['', 'is overdue'],
    ['', 'are overdue'],
  ],
  evidence: [
    ['Evidence of', 'expires soon'],
    ['Evidence of', 'expires soon'],
  ],
  import: [
    ['Your', 'has ended'],
    ['Your', 'have ended'],
  ],
  proof: [
    ['Your', 'has ended'],
    ['Your', 'have ended'],
  ],
  review: [
    ['The review of', 'is due soon'],
    ['', 'are due for a review'],
  ],
  contract: [
    ['The contract with', 'ends soon'],
    ['The contracts with', 'end soon'],
  ],
  key: [
    ['API key', 'expires soon'],
    ['', 'expire soon'],
  ],
  webhook: [
    ['Webhook', 'was disabled'],
    ['', 'were disabled'],
  ],
  // The title is a sentence.
  account: [
    ['', ''],
    ['', ''],
  ],
};

/** Words for keys that somebody reported, which have an actor. A reminder has none. */
const LEAKED: (typeof WORDS)[Reason] = [
  ['API key', 'was leaked'],
  ['', 'were leaked'],
];

/** Reasons whose sentence begins with a person. */
const ACTIONS: ReadonlySet<Reason> = new Set([
  'assigned',
  'mentioned',
  'approve',
  'question',
  'answer',
  'rejected',
  'status',
  'commented',
]);

const NOUNS: Readonly<Record<ResourceType, string>> = {
  task: 'tasks',
  vendor: 'vendors',
  requirement: 'requirements',
  import: 'imports',
  apiKey: 'API keys',
  webhook: 'webhooks',
  proof: 'proofs',
  member: 'members',
};
const list = new Intl.ListFormat('en');

/** Words of a date today, in the future and in the past. */
const DATE_WORDS: Partial<Readonly<Record<Reason, readonly [today: string, future: string, past: string]>>> = {
  review: ['is due today', 'is due on', 'was due on'],
  contract: ['ends today', 'ends on', 'ended on'],
};

/** "is due on 27 Dec 2026"; undefined for an item without a date. */
function dateWords({ reason, date }: InboxItem): string | undefined {
  const words = DATE_WORDS[reason];
  if (words === undefined || date === undefined) return undefined;
  const [today, future, past] = words;
  const days = daysUntil(date);
  return days === 0 ? today : `${days > 0 ? future : past} ${dateText(date)}`;
}

const wordsOf = ({ reason, actor }: InboxItem) => (reason === 'key' && actor !== null ? LEAKED : WORDS[reason]);

/** The person with whom the sentence begins; empty for a reminder. */
const actorOf = ({ reason, actor }: InboxItem): string => (ACTIONS.has(reason) ? (actor?.name ?? 'Somebody') : '');

/** "by Ann" for a change of the account that somebody else made. */
const othersWords = ({ actor, resource }: InboxItem): string =>
  actor === null || actor.uniqueId === resource.uniqueId ? '' : `by ${actor.name}`;

/** A sentence in three parts: "Ann", "assigned", then a name or a number, and "to you". */
export interface Sentence {
  actor: string;
  before: string;
  name: string;
  after: string;
}

const lowerCase = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** "Ann assigned Review access rights to you" */
export function sentenceOf(item: InboxItem): Sentence {
  const [[before, after]] = wordsOf(item);
  const name = item.reason === 'import' || item.reason === 'proof' ? lowerCase(item.title) : item.title;
  if (item.reason === 'account') return { actor: '', before, name, after: othersWords(item) };
  return { actor: actorOf(item), before, name, after: dateWords(item) ?? after };
}

/** "Ann assigned 400 tasks to you" */
export function bulkSentenceOf({ newest, items, isOpen }: ItemGroup): Sentence {
  const [, [before, after]] = wordsOf(newest);
  const resources = new Map(items.map(({ resource }) => [resource.uniqueId, resource.type]));
  const nouns = list.format([...new Set(resources.values())].map((type) => NOUNS[type]));
  const name = `${isOpen ? 'at least ' : ''}${resources.size.toLocaleString('en')} ${nouns}`;
  return { actor: actorOf(newest), before, name, after };
}

/** A sentence as plain text. */
export const textOf = ({ actor, before, name, after }: Sentence): string => joined(actor, before, name, after);
