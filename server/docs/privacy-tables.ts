import { CACHE_TTL_MS } from '../../database/api-key/cache.ts';
import { PERSONAL_DATA, PERSONAL_TABLES } from '../../entities/personal-data/index.ts';
import { ERASURES, KINDS } from '../../entities/personal-data/kinds.ts';
import type { PersonalKind } from '../../entities/personal-data/kinds.ts';
import type { TableOfPersonalData } from '../../entities/personal-data/table.ts';
import { SESSION_DAYS } from '../../entities/sign-in/web-session.ts';
import { MAX_MINUTES } from '../../procedures/mail/sender.ts';
import { BACKUP_RETENTION_DAYS, MAX_BACKUPS } from '../backup/upgrade.ts';
import { WINDOW_SECONDS } from '../session/sign-in-limits.ts';
import { MAX_AGE_MS } from '../storage/spool.ts';
import { markdownTable } from './markdown-table.ts';

const HOURS_OF_MAILS = MAX_MINUTES / 60;
const HOURS_OF_SPOOL = MAX_AGE_MS / 3_600_000;

/** Places outside of the tables: which personal data they hold, for how long, and how they are erased. */
const PLACES: readonly (readonly [place: string, data: string, kept: string, end: string])[] = [
  [
    'log lines on the standard output',
    'the address and the pseudonym of sign-ins and resets of passwords; the pseudonym of the member of each request; never a name, an email, a body or a token',
    'as long as you keep them',
    'your log system',
  ],
  ['metrics', 'nothing: labels come from the code', '', ''],
  ['traces', 'nothing: the company, the path pattern, the status, the names of queries', '', ''],
  [
    'mails of the inbox',
    'name, email, titles and links; made when they are sent, not stored',
    `tried for ${HOURS_OF_MAILS} hours`,
    'your mail server and the mailboxes keep what they got',
  ],
  [
    'counters of sign-ins, in memory or Redis',
    'SHA-256 of emails and of networks of addresses',
    `${WINDOW_SECONDS} seconds`,
    'by time',
  ],
  [
    'counters of failed requests, in memory',
    'one of 16,384 counters for the network of an address',
    `${WINDOW_SECONDS} seconds`,
    'by time',
  ],
  ['keys that were found, in memory', 'names of keys', `${CACHE_TTL_MS / 1000} seconds`, 'by time'],
  [
    '`DATA_DIR/pglite/files`, or the bucket of `STORAGE_URL`',
    'files of evidence',
    'as `file_chunk`; versions and deleted objects of a bucket as you set it up',
    'as `file_chunk`',
  ],
  [
    '`DATA_DIR/uploads`; with PostgreSQL a folder below `TMPDIR`',
    'files while they arrive',
    'until they are stored',
    `what a killed process left: at the next start; with PostgreSQL within ${HOURS_OF_SPOOL * 2} hours`,
  ],
  [
    '`DATA_DIR/backups/before-….tar.gz`',
    'everything, as it was before an upgrade',
    `the newest ${MAX_BACKUPS}, at most ${BACKUP_RETENTION_DAYS} days`,
    'by time, at the start and each hour',
  ],
  [
    '`DATA_DIR/replaced-…`',
    'everything, as it was before a restore',
    `${BACKUP_RETENTION_DAYS} days`,
    'by time, at the start and each hour',
  ],
  [
    'backups of `backup create`, `pg_dump`, archived WAL',
    'everything',
    'as long as you keep them',
    'you; after a restore forget again who was forgotten since',
  ],
  ['`DATA_DIR/encryption-key`, `operator-token`, `lock`, `holder`', 'nothing; the key opens TOTP secrets', '', ''],
  [
    'the browser of a person',
    'the session cookie; drafts of comments and the look of lists in its local storage',
    `the cookie ${SESSION_DAYS} days; drafts until they are sent or discarded`,
    'the person',
  ],
  [
    'receivers of webhooks, readers of the API',
    'events and objects, with names of that time',
    'as they keep them',
    'the company, which chose them',
  ],
];

const PERSONAL_REGCLASSES = `'{${PERSONAL_TABLES.join(',')}}'::regclass[]`;

/** SQL that removes the bytes of deleted rows from tables, indexes and statistics. */
const REWRITE = [
  `vacuum (full) ${PERSONAL_TABLES.join(', ')};`,
  `delete from pg_statistic where starelid = any (${PERSONAL_REGCLASSES})`,
  `  or starelid in (select indexrelid from pg_index where indrelid = any (${PERSONAL_REGCLASSES}));`,
  'vacuum full pg_statistic;',
  `analyze ${PERSONAL_TABLES.join(', ')};`,
].join('\n');

/**
 * Writes the tables between `<!-- kinds -->`, `<!-- tables -->`, `<!-- others -->`, `<!-- places -->`, `<!-- rewrite -->` and their ends, from
 * the list of personal data.
 */
export function withPrivacyTables(page: string): string {
  const personal = PERSONAL_DATA.filter(({ treatment }) => treatment !== null);
  const others = PERSONAL_DATA.filter(({ treatment }) => treatment === null);
  const parts: Readonly<Record<string, string>> = {
    kinds: markdownTable([
      ['kind', 'contents', 'in log lines', 'in events, exports and proofs', 'tables'],
      ...kinds.map((kind) => {
        const { title, contents, logs, events } = KINDS[kind];
        const tables = personal.filter(({ columns }) => columns[kind] !== undefined).map(({ table }) => code(table));
        return [title, contents, logs, events, tables.join(', ')];
      }),
    ]),
    tables: markdownTable([['table', 'personal data', 'kept', 'seen by', 'erased before by'], ...personal.map(rowOf)]),
    others: `${others.map(({ table }) => code(table)).join(', ')}.`,
    places: markdownTable([['place', 'personal data', 'kept', 'erased by'], ...PLACES]),
    rewrite: `\`\`\`sql\n${REWRITE}\n\`\`\``,
  };
  return page.replaceAll(
    /<!-- (kinds|tables|others|places|rewrite) -->\n[^]*?<!-- \/\1 -->/g,
    (_, name: string) => `<!-- ${name} -->\n\n${parts[name] ?? ''}\n\n<!-- /${name} -->`,
  );
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
const kinds = Object.keys(KINDS) as PersonalKind[];

const code = (name: string) => `\`${name}\``;

function rowOf({ table, columns, treatment }: TableOfPersonalData): string[] {
  const { kept = '', seenBy = '', erasedBy = [] } = treatment ?? {};
  const data = kinds.flatMap((kind) => {
    const names = columns[kind] ?? [];
    return names.length === 0 ? [] : [`${KINDS[kind].title}: ${names.map(code).join(', ')}`];
  });
  return [code(table), data.join('; '), kept, seenBy, erasedBy.map((way) => ERASURES[way]).join('; ')];
}
