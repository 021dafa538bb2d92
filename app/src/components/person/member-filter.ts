import { textIn } from '../table/options.ts';
import { ME, NOBODY } from './member-select.tsx';
import type { Member } from './use-members.ts';

/** Members of the URL for the API. "me" is the person who reads, so that a link means each reader. @param own uniqueId of that person */
export const membersOf = (value: string, own: string): string =>
  value
    .split(',')
    .map((one) => (one === ME ? own : one))
    .join();

/** Members of the URL as people read them: "Me, Nobody". */
export const membersText = (members: readonly Member[]) =>
  textIn([
    { value: ME, label: 'Me' },
    { value: NOBODY, label: 'Nobody' },
    ...members.map(({ uniqueId, name }) => ({ value: uniqueId, label: name })),
  ]);
