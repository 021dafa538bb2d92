import type { MailLine } from '../../entities/inbox/mailing.ts';
import { htmlToText, oneLine } from '../core/html.ts';
import type { Mail } from '../core/services.ts';
import { composeMail } from './message.ts';
import type { MailListItem } from './message.ts';
import { unsubscribeFooter } from './unsubscribe-links.ts';
import type { UnsubscribeLinks } from './unsubscribe-links.ts';
import { companyIn, dateIn, nameOr, withoutLinks } from './wording.ts';

/** A line with its company. */
export interface CompanyLine extends MailLine {
  company: number;
  companyName: string;
}

/** Maximum length of the start of a description, in characters. */
const MAX_DESCRIPTION_LENGTH = 200;

/** Pages of the application, by the type of the resource. Others have none. */
const PAGES: Partial<Record<MailLine['resource_type'], string>> = { task: 'tasks', vendor: 'vendors' };

const SENTENCES: Record<MailLine['reason'], (actor: string, title: string) => string> = {
  assigned: (actor, title) => `${actor} assigned “${title}” to you`,
  mentioned: (actor, title) => `${actor} mentioned you in “${title}”`,
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

/** What a person must know of a task that was assigned. Lines about others have none. */
function detailsOf({ dueDate, framework, description }: MailLine): string[] {
  const facts = [
    ...(dueDate === null ? [] : [`Due ${dateIn(dueDate)}`]),
    ...(framework === null ? [] : [withoutLinks(framework)]),
  ];
  return [facts.join(' · '), startOf(description ?? '')].filter((detail) => detail !== '');
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
