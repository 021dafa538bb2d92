import { CONTENT } from './content.ts';
import { PEOPLE } from './people.ts';
import { RECORDS } from './records.ts';
import type { TableOfPersonalData } from './table.ts';

/** Every table of the service, with the personal data in it. docs/privacy.md shows it. Contract, section 26. */
export const PERSONAL_DATA: readonly TableOfPersonalData[] = [...PEOPLE, ...CONTENT, ...RECORDS];

/** Kinds of personal data that the files of the tables lose, byte by byte, when a member is forgotten. */
const ERASED_KINDS = ['name', 'email', 'digest', 'credential', 'address', 'userAgent', 'content'] as const;

/** Tables from which `member.forget` removes names, emails, credentials, addresses and texts. Their freed space still has them. */
export const PERSONAL_TABLES: readonly string[] = PERSONAL_DATA.filter(
  ({ columns, treatment }) =>
    treatment?.erasedBy.includes('forget') === true && ERASED_KINDS.some((kind) => columns[kind] !== undefined),
).map(({ table }) => table);
