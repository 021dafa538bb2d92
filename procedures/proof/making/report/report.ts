import type { Session } from '../../../../database/session.ts';
import type { ProofContents } from '../events.ts';
import type { Registers } from '../register-files.ts';
import type { RegisterRow } from '../registers.ts';
import { collect } from './collect.ts';
import type { Collected } from './collect.ts';
import { openReport } from './context.ts';
import type { Limits, MissingFile, Report, Section } from './context.ts';
import { aboutSection, contentsHtml, numbersSection, titleHtml } from './front.ts';
import { Posture } from './posture.ts';
import { Applicability, SHORT_REQUIREMENTS } from './requirements.ts';
import { questionsSection } from './questions.ts';
import { Reviews } from './reviews.ts';
import { SHORT_TASKS, tasksSection } from './tasks.ts';
import {
  markup,
  note,
  TABLE_END,
  tableRow,
  tableStart,
  isEmpty,
  statusText,
  numberText,
  personText,
  sizeText,
} from './text.ts';
import type { Html } from './text.ts';
import { SHORT_VENDORS, vendorsSection } from './vendors.ts';

/** Sections that have less in a proof of some frameworks. */
const OF_FRAMEWORKS: ReadonlySet<string> = new Set([
  'numbers',
  'posture',
  'applicability',
  'tasks',
  'questions',
  'deleted',
]);
const LIMITS: Limits = { records: 2000, changes: 50 };

/** The report: one page for reading and printing, from the log and the request alone. Contract, section 20. */
export const reportText = (
  session: Session,
  contents: ProofContents,
  registers: Registers,
  missing: readonly MissingFile[],
): AsyncGenerator<string> => limitedReport(session, contents, registers, { missing, limits: LIMITS });

/** The report with other limits. The registers were read. */
export async function* limitedReport(
  session: Session,
  contents: ProofContents,
  registers: Registers,
  options: { missing: readonly MissingFile[]; limits: Limits },
): AsyncGenerator<string> {
  const report = openReport(session, contents, registers, options);
  const sections = await sectionsOf(report);
  yield titleHtml(report).text;
  yield contentsHtml(sections).text;
  for (const [index, section] of sections.entries()) {
    const { id, title, content } = section;
    yield markup`<section>\n<h2 id="${id}">${index + 1}. ${title}</h2>\n`.text;
    if (contents.frameworks !== null && OF_FRAMEWORKS.has(id))
      yield note(
        'The proof is limited: tasks and requirements of other frameworks than those on the first page are not in it.',
      ).text;
    for await (const part of iterate(content())) yield part.text;
    yield '</section>\n';
  }
  yield '</body>\n</html>\n';
}

async function* iterate(parts: AsyncIterable<Html> | Iterable<Html>): AsyncGenerator<Html> {
  yield* parts;
}

const frameworksText = ({ registers }: Report, frameworks: unknown): string =>
  Array.isArray(frameworks)
    ? frameworks.map((id: unknown) => registers.names.framework.get(id) ?? String(id)).join(', ')
    : 'all';

const timeOf = ({ times }: Report, time: unknown): string => (typeof time === 'string' ? times.text(time) : '');

/** Everybody who was a member by the end of the period. */
async function* membersTable(report: Report): AsyncGenerator<Html> {
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

async function* keysTable(report: Report): AsyncGenerator<Html> {
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

/** The sections that have content. */
async function sectionsOf(report: Report): Promise<Section[]> {
  const { session, contents, registers, today, missing } = report;
  const limit = report.limits.records;
  const { framework } = registers.names;
  const ids = [...framework.keys()].filter((id) => contents.frameworks?.some((one) => one === id) ?? true);
  const posture = new Posture(ids, today);
  const applicability = new Applicability(report);
  const requirements = await collect(session, contents, {
    ...SHORT_REQUIREMENTS,
    type: 'requirement',
    limit,
    count: (row) => applicability.count(row),
    read: (events, name) => applicability.read(events, name),
  });
  applicability.receive(requirements);
  const tasks = await collect(session, contents, {
    ...SHORT_TASKS,
    type: 'task',
    limit,
    count: (row) => {
      posture.add(row);
      applicability.addTask(row);
    },
  });
  const { reviews, vendors } = await collectVendors(report, tasks);
  const all = [requirements, tasks, vendors];
  const nameOf = (id: unknown) => framework.get(id) ?? String(id);
  const has = (type: 'member' | 'apiKey') => (registers.counts.get(type) ?? 0) > 0;
  const optional: [boolean, Section][] = [
    [ids.length > 0, { id: 'posture', title: 'Posture by framework', content: () => posture.toHtml(nameOf) }],
    [requirements.total > 0, applicability.section(tasks)],
    [tasks.total > 0, tasksSection(report, tasks)],
    [vendors.total > 0, vendorsSection(report, vendors)],
    [vendors.total + reviews.total > 0, reviews.section(vendors)],
    [registers.questions.total > 0, questionsSection(report, all)],
    [
      all.some(({ deletedTotal }) => deletedTotal > 0),
      { id: 'deleted', title: 'Deleted in the period', content: () => deletedTable(report, all) },
    ],
    [has('member'), { id: 'members', title: 'Members', content: () => membersTable(report) }],
    [has('apiKey'), { id: 'keys', title: 'API keys', content: () => keysTable(report) }],
    [missing.length > 0, { id: 'missing', title: 'Missing files', content: () => missingTable(report, all) }],
  ];
  return [
    aboutSection(report),
    numbersSection(report, { posture, requirements, applicability, tasks, vendors, reviews }),
    ...optional.flatMap(([isThere, section]) => (isThere ? [section] : [])),
  ];
}

/** Collects the vendors and their reviews, and the names of those that the tasks in the report have had. */
async function collectVendors(report: Report, tasks: Collected): Promise<{ vendors: Collected; reviews: Reviews }> {
  const { session, contents, limits, vendorNames } = report;
  const reviews = new Reviews(report);
  const named = new Set(
    tasks.records.flatMap(({ row }): unknown[] => (Array.isArray(row['vendors']) ? row['vendors'] : [])),
  );
  const vendors = await collect(session, contents, {
    ...SHORT_VENDORS,
    type: 'vendor',
    limit: limits.records,
    count: (row) => {
      reviews.count(row);
      if (named.has(row['uniqueId'])) vendorNames.set(row['uniqueId'], String(row['name']));
    },
    read: (events, name) => reviews.read(events, name),
  });
  for (const { uniqueId, name } of [...vendors.records, ...vendors.deleted]) vendorNames.set(uniqueId, name);
  return { vendors, reviews };
}

/** The objects that were deleted in the period. */
function* deletedTable({ contents, times }: Report, collections: readonly Collected[]): Generator<Html> {
  const rest = collections.reduce((sum, { deleted, deletedTotal }) => sum + deletedTotal - deleted.length, 0);
  if (rest > 0) yield note(`${numberText(rest)} more are only in events.ndjson.`);
  yield tableStart(['What', 'Name', 'Deleted', 'By'], 'plain');
  for (const { type, name, deletedAt, user, sequence } of collections.flatMap(({ deleted }) => deleted)) {
    const names = contents.people.at(sequence);
    yield tableRow([type, name, times.text(deletedAt), personText(names.get(user), names)]);
  }
  yield TABLE_END;
}

/** Evidence whose files are not in the proof. */
async function* missingTable(
  { registers, missingSizes }: Report,
  collections: readonly Collected[],
): AsyncGenerator<Html> {
  yield note(
    'The bytes of these files are gone, as their evidence was deleted after the end of the period. Their size and SHA-256 are in the log.',
  );
  const names = new Map(collections.flatMap(({ records }) => records.map(({ uniqueId, name }) => [uniqueId, name])));
  yield tableStart(['Evidence', 'Of', 'Size', 'SHA-256'], 'm');
  for await (const { row, resource } of registers.read('evidence')) {
    const sha256 = String(row['sha256']);
    const size = missingSizes.get(sha256);
    if (size === undefined) continue;
    const parent = resource.events[0]?.parentId ?? '';
    yield tableRow([String(row['name']), names.get(parent) ?? parent, sizeText(size), markup`<code>${sha256}</code>`]);
  }
  yield TABLE_END;
}
