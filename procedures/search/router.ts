import { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { ApiError } from '../../entities/api-error.ts';
import { MAX_NAME_LENGTH } from '../../entities/company/company.ts';
import {
  EXAMPLE_IDS,
  boundedText,
  expected,
  forModels,
  integerInput,
  minLength,
  textOutput,
  valueList,
} from '../../entities/fields/schemas.ts';
import { calendarDate } from '../../entities/fields/values.ts';
import { isUniqueId } from '../../entities/ids.ts';
import type { Principal } from '../../entities/principal.ts';
import { SEARCH_TYPES } from '../../entities/search/document.ts';
import type { SearchType } from '../../entities/search/document.ts';
import { findDocuments } from '../../entities/search/finding.ts';
import { SEARCH_STATUSES } from '../../entities/search/objects.ts';
import type { SearchObject } from '../../entities/search/objects.ts';
import { wantedOf } from '../../entities/search/words.ts';
import { slices } from '../core/slices.ts';
import { router, searchProcedure } from '../core/trpc.ts';
import { operationTexts } from '../document/resource-texts.ts';
import { EXCERPT_LENGTH, excerptOf } from './excerpt.ts';
import { readSearchObjects, textsOf } from './objects.ts';
import type { ObjectId } from './objects.ts';

const QUERY_LENGTH = { min: 2, max: 255 } as const;
const ITEMS = { max: 50, default: 20 } as const;
const EXPECTED_QUERY = `text of ${QUERY_LENGTH.min} to ${QUERY_LENGTH.max} characters`;
/** Seconds after which to ask again while the documents of a company are being made. */
const RETRY_AFTER_BUILDING = 5;

const SearchQuery = z.strictObject({
  q: boundedText(
    z.string(expected(EXPECTED_QUERY)).check(minLength(QUERY_LENGTH.min, { ...expected(EXPECTED_QUERY), abort: true })),
    EXPECTED_QUERY,
    QUERY_LENGTH.max,
  )
    .meta({
      description: 'Words, each of which an object must have at the beginning of a word',
      examples: ['access rev'],
    })
    .register(forModels, { description: 'Beginnings of words' }),
  type: valueList(SEARCH_TYPES)
    .meta({
      description: `Types of the objects, separated by commas: ${SEARCH_TYPES.join(', ')}; by default all`,
      examples: [['task', 'vendor']],
    })
    .register(forModels, { description: 'Comma-separated', pattern: undefined })
    .optional(),
  limit: integerInput(1, ITEMS.max)
    .meta({
      description: `Maximum number of items; ${ITEMS.default} by default`,
      format: 'int32',
      examples: [ITEMS.default],
    })
    .register(forModels, { description: undefined })
    .optional(),
});

const typeOutput = z.enum(SEARCH_TYPES).meta({ description: 'Type of the resource, as in events' });
/** Frameworks and departments have integer ids. */
const idOutput = textOutput(
  36,
  EXAMPLE_IDS.task,
  'uniqueId of the object; for a framework or department, its id as text',
);
/** Refs and titles of requirements are longer than other names. */
const MAX_TITLE_LENGTH = 3 * MAX_NAME_LENGTH;

const SearchItem = z
  .object({
    type: typeOutput,
    uniqueId: idOutput,
    title: textOutput(
      MAX_TITLE_LENGTH,
      'Review access rights',
      'Title or name; for a comment, the title of its object',
    ),
    excerpt: textOutput(EXCERPT_LENGTH, '…with the owner of each access group…', 'Text around the hit, without markup'),
    parent: z
      .object({
        type: typeOutput,
        uniqueId: idOutput,
        title: textOutput(MAX_TITLE_LENGTH, 'ISO 27001', 'Title or name'),
      })
      .nullable()
      .meta({
        description: 'Object of a comment or of evidence, framework of a task or a requirement; null for others',
      }),
    status: z
      .enum(SEARCH_STATUSES)
      .nullable()
      .meta({ description: 'Status of a task, vendor or requirement, else null' }),
    dueDate: calendarDate.nullable().meta({ description: 'Due date of a task, else null' }),
  })
  .meta({ id: 'SearchItem', description: 'An object that a search found' });

const SearchOutput = z.object({
  items: z.array(SearchItem).meta({ maxItems: ITEMS.max, description: 'Objects that were found, the best first' }),
});

const NEEDED: Readonly<Record<SearchType, SearchObject['scope'] | null>> = {
  task: 'task:read',
  vendor: 'vendor:read',
  requirement: 'task:read',
  // Their parent decides.
  comment: null,
  evidence: null,
  framework: 'task:read',
  department: 'task:read',
  member: 'member:read',
};

/** The types that a principal may find. Only members find people. */
const typesFor = ({ scopes, role }: Principal): SearchType[] =>
  SEARCH_TYPES.filter((type) => {
    const needed = NEEDED[type];
    if (type === 'member' && role === null) return false;
    return type === 'evidence' ? scopes.includes('evidence:read') : needed === null || scopes.includes(needed);
  });

/** Documents with these words, the best first. @throws ApiError 503 while those of the company are being made */
async function findIds(session: Session, types: readonly SearchType[], words: readonly string[]): Promise<ObjectId[]> {
  const rows = await session.run(findDocuments, { types, words });
  if (rows.length === 0 || rows.some(({ ready }) => !ready))
    throw new ApiError('unavailable', 'The index of the search is being built. Try again shortly.', {
      retryAfter: RETRY_AFTER_BUILDING,
    });
  return rows.flatMap(({ type, id }) => (type === null || id === null ? [] : { type, id }));
}

function toItem(object: SearchObject, words: readonly string[]): z.infer<typeof SearchItem> {
  const { type, id: uniqueId, title, status, dueDate, parentType, parentId, parentTitle } = object;
  const { titles, texts } = textsOf(object);
  const parent =
    parentType === null || parentId === null || parentTitle === null
      ? null
      : { type: parentType, uniqueId: parentId, title: parentTitle };
  return { type, uniqueId, title, excerpt: excerptOf([...texts, ...titles], words), parent, status, dueDate };
}

/**
 * The objects that a search finds and the principal may read now. First come the object with that uniqueId, and those that have
 * each ref or address of the query as a whole. Others have its words apart.
 */
async function search(session: Session, { q, type, limit = ITEMS.default }: z.infer<typeof SearchQuery>) {
  const wanted = wantedOf(q);
  if (wanted.runs.length === 0) return { items: [] };
  const asked = type?.split(',');
  const types = typesFor(session.principal).filter((one) => asked?.includes(one) ?? true);
  const id = q.trim().toLowerCase();
  const withId: ObjectId[] = isUniqueId(id)
    ? types.filter((one) => one !== 'framework' && one !== 'department').map((one) => ({ type: one, id }))
    : [];
  const found = new Map<string, { object: SearchObject; words: readonly string[] }>();
  /** Adds those that exist, as many as there is room for. */
  const add = async (ids: readonly ObjectId[], words: readonly string[]) => {
    for (let start = 0; start < ids.length && found.size < limit; start += ITEMS.max)
      for (const object of await readSearchObjects(session, ids.slice(start, start + ITEMS.max))) {
        const key = `${object.type} ${object.id}`;
        if (found.size < limit && !found.has(key)) found.set(key, { object, words });
      }
  };
  await add(withId, wanted.runs);
  for (const words of [wanted.runs, wanted.words])
    if (words !== null && found.size < limit) await add(await findIds(session, types, words), words);
  const items = [...found.values()].map(({ object, words }) =>
    slices.run(session.principal.company, () => toItem(object, words)),
  );
  return { items: await Promise.all(items) };
}

const text = operationTexts('Search');

/** The search over everything of a company. Contract, section 33. */
export const searching = router({
  find: searchProcedure
    .meta({
      mcp: {
        description:
          'Finds tasks, vendors, requirements, comments, evidence, frameworks and departments by their words.',
      },
      openapi: {
        method: 'GET',
        path: '/external/search',
        ...text(
          'search',
          'Search tasks, vendors, requirements, comments, evidence, frameworks and departments',
          'Shows what the key may read; needs `task:read` or `vendor:read`. All words must be found in one object, ignoring case and accents. ' +
            'Of more than 1,000 objects it returns the best of those that changed last. Changes are found within two seconds. Responds 503 while an upgrade builds the index.',
        ),
      },
    })
    .input(SearchQuery)
    .output(SearchOutput)
    .query(({ ctx, input }) => search(ctx.session, input)),
});
