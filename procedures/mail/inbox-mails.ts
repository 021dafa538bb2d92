import type { MailLine } from '../../entities/inbox/mailing.ts';
import type { SummaryTask } from '../../entities/inbox/summary.ts';
import type { MailKind } from '../../entities/person/notifications.ts';
import { htmlToText, oneLine } from '../core/html.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import type { MailListItem, MailLink } from './message.ts';
import { companyIn, dateIn, nameOr, withoutLinks } from './wording.ts';
import { unsubscribeToken } from './unsubscribe.ts';

/** A line with its company. */
export interface CompanyLine extends MailLine {
  company: number;
  companyName: string;
}

/** Maximum length of the start of a description, in characters. */
const MAX_DESCRIPTION_LENGTH = 200;

/** Pages of the application, by the type of the resource. Others have none. */
const PAGES: Partial<Record<MailLine['resource_type'], string>> = {
  task: 'tasks',
  vendor: 'vendors',
  requirement: 'requirements',
};

const SENTENCES: Record<MailLine['reason'], (actor: string, title: string) => string> = {
  assigned: (actor, title) => `${actor} assigned “${title}” to you`,
  mentioned: (actor, title) => `${actor} mentioned you in “${title}”`,
  approve: (actor, title) => `${actor} asks you to approve “${title}”`,
  question: (actor, title) => `${actor} asked a question about “${title}”`,
  answer: (actor, title) => `${actor} replied to your question about “${title}”`,
  rejected: (actor, title) => `${actor} rejected evidence of “${title}”`,
  commented: (actor, title) => `${actor} commented on “${title}”`,
};

const sentence = ({ reason, title, actor }: MailLine): string =>
  SENTENCES[reason](nameOr(actor ?? '', '') || 'Somebody', withoutLinks(oneLine(title)));

/** The start of a description as people read it. */
function startOf(description: string): string {
  // The query cuts off the rest, perhaps within a tag.
  const text = htmlToText(description.replace(/<[^<>]*$/, '')).replaceAll(/\s+/g, ' ');
  const characters = Array.from(withoutLinks(oneLine(text)));
  return characters.length > MAX_DESCRIPTION_LENGTH
    ? `${characters.slice(0, MAX_DESCRIPTION_LENGTH).join('').trim()}…`
    : characters.join('');
}

/** Facts about a task that was assigned. Other lines have none. */
function detailsOf({ dueDate, framework, description }: MailLine): string[] {
  const facts = [
    ...(dueDate === null ? [] : [`Due ${dateIn(dueDate)}`]),
    ...(framework === null ? [] : [withoutLinks(framework)]),
  ];
  return [facts.join(' · '), startOf(description ?? '')].filter((detail) => detail !== '');
}

/** Addresses that turn off mails of the kinds in a mail. */
interface UnsubscribeLinks {
  /** Takes a POST of a mail client. */
  postUrl: string;
  /** Page of the application for people. */
  pageUrl: string;
}

/** Makes the addresses for the kinds of a mail. */
export function unsubscribeLinks(
  { appUrl, secret }: { appUrl: string; secret: Buffer },
  person: string,
  kinds: readonly MailKind[],
): UnsubscribeLinks {
  const path = `unsubscribe/${unsubscribeToken(secret, person, kinds)}`;
  return { postUrl: `${appUrl}/session/${path}`, pageUrl: `${appUrl}/${path}` };
}

/** Link at the end of a mail. */
const unsubscribeFooter = ({ pageUrl }: UnsubscribeLinks): MailLink[] => [
  { text: 'Turn off these emails', url: pageUrl },
];

/**
 * Mail with items of the inbox.
 * @param lines the newest first, at least one
 * @param total number of items, also of those without a line
 */
export function itemsMail(
  to: string,
  lines: readonly CompanyLine[],
  total: number,
  links: UnsubscribeLinks & { appUrl: string },
): Mail {
  const inbox = `${links.appUrl}/inbox`;
  const companies = new Map(lines.map(({ company, companyName }) => [company, companyIn(companyName)]));
  const toItem = (line: CompanyLine): MailListItem => {
    const page = PAGES[line.resource_type];
    return {
      text: companies.size > 1 ? `${companyIn(line.companyName)}: ${sentence(line)}` : sentence(line),
      url: page === undefined ? inbox : `${links.appUrl}/${page}/${line.resource_id}`,
      details: detailsOf(line),
    };
  };
  const more = total - lines.length;
  const rest = more === 0 ? [] : [{ text: `and ${more.toLocaleString('en')} more`, url: inbox }];
  return composeMail({
    to,
    subject: total === 1 ? '1 new item in your inbox' : `${total.toLocaleString('en')} new items in your inbox`,
    blocks: [
      { title: [...companies.values()].join(', '), links: [...lines.map(toItem), ...rest] },
      { button: { text: 'Open the inbox', url: inbox } },
    ],
    footer: unsubscribeFooter(links),
    unsubscribeUrl: links.postUrl,
  });
}

interface Summary {
  to: string;
  companyName: string;
  member: string;
  /** In the time zone of the company, as `YYYY-MM-DD`. */
  today: string;
  /** By date, at least one. */
  tasks: readonly SummaryTask[];
}

const countOf = (count: number, what: string) => (count === 0 ? [] : [`${count.toLocaleString('en')} ${what}`]);

/** Mail with the open tasks of a member that are overdue, or due within seven days. */
export function summaryMail(
  { to, companyName, member, today, tasks }: Summary,
  links: UnsubscribeLinks & { appUrl: string },
): Mail {
  const { appUrl } = links;
  const [{ total, overdue } = { total: 0, overdue: 0 }] = tasks;
  const toLink = ({ unique_id, title, dueDate }: SummaryTask): MailLink => ({
    text: `${dateIn(dueDate)}: ${withoutLinks(oneLine(title))}`,
    url: `${appUrl}/tasks/${unique_id}`,
  });
  const more = total - tasks.length;
  const rest = { text: `and ${more.toLocaleString('en')} more`, url: `${appUrl}/tasks?assignee=${member}&due=week` };
  // Dates in this format are in the order of their text.
  const groups = [
    { title: 'Overdue', links: tasks.filter(({ dueDate }) => dueDate < today).map(toLink) },
    { title: 'Due within seven days', links: tasks.filter(({ dueDate }) => dueDate >= today).map(toLink) },
    { title: 'More tasks', links: more === 0 ? [] : [rest] },
  ].filter((group) => group.links.length > 0);
  const counts = [...countOf(overdue, 'overdue'), ...countOf(total - overdue, 'due within seven days')].join(', ');
  return composeMail({
    to,
    subject: `Your tasks: ${counts}`,
    blocks: [
      `These tasks in ${companyIn(companyName)} are assigned to you.`,
      ...groups,
      { button: { text: 'Open your tasks', url: `${appUrl}/tasks?assignee=${member}` } },
    ],
    footer: unsubscribeFooter(links),
    unsubscribeUrl: links.postUrl,
  });
}
