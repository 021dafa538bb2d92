import type { MailLine } from '../../entities/inbox/mailing.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import type { MailLink } from './message.ts';
import { unsubscribeFooter } from './unsubscribe-links.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';

/** A line with its company. */
export interface CompanyLine extends MailLine {
  company: number;
  companyName: string;
}

/** Pages of the application, by the type of the resource. Others have none. */
const PAGES: Partial<Record<MailLine['resource_type'], string>> = { task: 'tasks', vendor: 'vendors' };

const times = (count: number) => `${count.toLocaleString('en')} times`;

/** Sentences about several items of one line. The title is that of the newest. */
const MANY: Record<MailLine['reason'], (actor: string, count: number, title: string) => string> = {
  assigned: (actor, count, title) =>
    `${actor} assigned ${count.toLocaleString('en')} items to you, the last is “${title}”`,
  mentioned: (actor, count, title) => `${actor} mentioned you ${times(count)}, the last time in “${title}”`,
  commented: (actor, count, title) => `${actor} commented ${times(count)}, the last time on “${title}”`,
};
const ONE: Record<MailLine['reason'], (actor: string, title: string) => string> = {
  assigned: (actor, title) => `${actor} assigned “${title}” to you`,
  mentioned: (actor, title) => `${actor} mentioned you in “${title}”`,
  commented: (actor, title) => `${actor} commented on “${title}”`,
};

function sentence({ reason, count, title, actor }: MailLine): string {
  const name = actor ?? 'Somebody';
  return count === 1 ? ONE[reason](name, title) : MANY[reason](name, count, title);
}

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
  const companies = new Map(lines.map(({ company, companyName }) => [company, companyName]));
  const toLink = (line: CompanyLine): MailLink => {
    const page = line.count === 1 ? PAGES[line.resource_type] : undefined;
    return {
      text: companies.size > 1 ? `${line.companyName}: ${sentence(line)}` : sentence(line),
      url: page === undefined ? inbox : `${links.appUrl}/${page}/${line.resource_id}`,
    };
  };
  const shown = lines.reduce((sum, { count }) => sum + count, 0);
  const more = total - shown;
  const rest = more === 0 ? [] : [{ text: `and ${more.toLocaleString('en')} more`, url: inbox }];
  const [first] = lines;
  const subject =
    first !== undefined && lines.length === 1 && more === 0
      ? toLink(first).text
      : `${total.toLocaleString('en')} new items in your inbox`;
  return composeMail({
    to,
    subject,
    blocks: [{ title: [...companies.values()].join(', '), links: [...lines.map(toLink), ...rest] }],
    footer: [{ text: 'Open the inbox', url: inbox }, ...unsubscribeFooter(links)],
    unsubscribeUrl: links.postUrl,
  });
}
