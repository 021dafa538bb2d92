import type { RegisterRow } from '../registers.ts';
import type { Report } from './context.ts';
import { TABLE_END, tableRow, tableStart } from './text/html.ts';
import type { Html } from './text/html.ts';
import { isEmpty, statusText } from './text/words.ts';

const frameworksText = ({ registers }: Report, frameworks: unknown): string =>
  Array.isArray(frameworks)
    ? frameworks.map((id: unknown) => registers.names.framework.get(id) ?? String(id)).join(', ')
    : 'all';

const timeOf = ({ times }: Report, time: unknown): string => (typeof time === 'string' ? times.text(time) : '');

/** Everybody who was a member by the end of the period. */
export async function* membersTable(report: Report): AsyncGenerator<Html> {
  const { people } = report.contents;
  yield tableStart(['Name', 'Role', 'Frameworks', 'Member since', 'Left'], 'plain');
  for await (const { uniqueId, name, role, frameworks, createdAt, endedAt } of report.registers.members())
    yield tableRow([
      `${String(name)}${people.isUnrecorded(String(uniqueId)) ? ' (not recorded then)' : ''}`,
      role === null ? 'none' : statusText(role),
      frameworksText(report, frameworks),
      timeOf(report, createdAt),
      timeOf(report, endedAt),
    ]);
  yield TABLE_END;
}

export async function* keysTable(report: Report): AsyncGenerator<Html> {
  yield tableStart(['Name', 'Begins and ends with', 'Scopes', 'Frameworks', 'Created', 'State'], 'plain');
  for await (const { row } of report.registers.read('apiKey'))
    yield tableRow([
      String(row['name']),
      `${String(row['start'])}…${String(row['last4'])}`,
      Array.isArray(row['scopes']) ? row['scopes'].join(', ') : '',
      frameworksText(report, row['frameworks']),
      timeOf(report, row['createdAt']),
      keyState(report, row),
    ]);
  yield TABLE_END;
}

function keyState(report: Report, { enabled, expiresAt, revokedAt }: RegisterRow): string {
  if (!isEmpty(revokedAt)) return `revoked ${timeOf(report, revokedAt)}`;
  if (typeof expiresAt === 'string' && expiresAt <= report.contents.asOf) return `expired ${timeOf(report, expiresAt)}`;
  if (enabled === false) return 'disabled';
  return isEmpty(expiresAt) ? 'active' : `active, expires ${timeOf(report, expiresAt)}`;
}
