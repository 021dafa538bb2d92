import type { SummaryTask } from '../../entities/inbox/summary.ts';
import { oneLine } from '../core/html.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import type { MailLink } from './message.ts';
import { unsubscribeFooter } from './unsubscribe-links.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';
import { companyIn, dateIn, withoutLinks } from './wording.ts';

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
    { title: 'Further tasks', links: more === 0 ? [] : [rest] },
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
