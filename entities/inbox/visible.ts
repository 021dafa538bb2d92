import { frameworkCondition } from '../schema/access.ts';
import type { AccountVerb } from '../member/member.ts';
import type { InboxResourceType } from './item.ts';

interface ItemResource {
  table: string;
  /** SQL of the title of the row `r`. */
  title: string;
  /** Condition under which the member `m` may see the row `r`; none for every member. */
  condition?: string;
}

/** What happened to the account of a member, by the verb of the event. */
export const ACCOUNT_TITLES: Readonly<Record<AccountVerb, string>> = {
  resetPassword: 'A link to reset your password was created',
  passwordReset: 'Your password was reset with a link',
  passwordChange: 'Your password was changed',
  passkeyAdd: 'A passkey was added to your account',
  passkeyRemove: 'A passkey was removed from your account',
  totpEnable: 'The second factor of your account was turned on',
  totpDisable: 'The second factor of your account was turned off',
  prove: 'Your email address was confirmed',
};
const ACCOUNT_TITLE = `(select case e.action ${Object.entries(ACCOUNT_TITLES)
  .map(([verb, title]) => `when 'member.${verb}' then '${title}'`)
  .join(' ')} end from audit_event e where e.company_id = i.company_id and e.id = i.event_id)`;

const ONLY_ADMINS = `m.role = 'admin'`;
const RESOURCES: Record<InboxResourceType, ItemResource> = {
  task: { table: 'task', title: 'r.title', condition: frameworkCondition('r.framework_id', 'm.frameworks') },
  vendor: { table: 'vendor', title: 'r.name' },
  import: { table: 'import', title: `'Import of ' || r.kind || 's'` },
  apiKey: { table: 'api_key', title: 'r.name', condition: ONLY_ADMINS },
  proof: {
    table: 'proof',
    title: `'Proof as of ' || to_char(r.as_of at time zone 'UTC', 'YYYY-MM-DD')`,
    condition: `m.role in ('admin', 'auditor') and m.frameworks is null`,
  },
  webhook: { table: 'webhook', title: 'r.url', condition: ONLY_ADMINS },
  member: { table: 'member', title: ACCOUNT_TITLE, condition: 'r.unique_id = m.unique_id' },
};

/**
 * SQL that joins the title of the resource of the item `i` as `resource.title`, if it exists and the member `m` may see it: items
 * about others are left out. Titles are those of now.
 */
export const JOIN_VISIBLE_RESOURCE = `join lateral (${Object.entries(RESOURCES)
  .map(
    ([type, { table, title, condition = 'true' }]) => `
    select ${title} as title from ${table} r
    where i.resource_type = '${type}' and r.company_id = i.company_id and r.unique_id = i.resource_id and ${condition}`,
  )
  .join(' union all ')}) resource on m.ended_at is null`;
