import type { z } from 'zod';
import { enumInput, forModels, searchText } from '../../entities/fields/schemas.ts';

const MAX_SEED_LENGTH = 100;

/** Input field of a list that can be a sample. */
export const seedInput = {
  seed: searchText(MAX_SEED_LENGTH)
    .meta({
      description:
        'Seed of `sort=sample`, used as sent: the items come in the order of the hexadecimal SHA-256 of the seed, a colon and their uniqueId, in UTF-8. ' +
        'An export takes it only with `limit`, at most 500, and then has so many items.',
      examples: ['2026 Q4'],
    })
    .register(forModels, { description: undefined })
    .optional(),
};

/** The same with the order, for a list that has no other choice. */
export const sampleInput = {
  sort: enumInput(['sample'])
    .meta({ description: '`sample`: in an order that follows from `seed`' })
    .register(forModels, { description: undefined })
    .optional(),
  ...seedInput,
};

interface Sampled {
  sort?: string | undefined;
  seed?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

const addIssue = (issues: z.RefinementCtx, field: keyof Sampled, message: string) =>
  issues.addIssue({ code: 'custom', path: [field], message });

/** Adds an issue for a seed without a sample, or a sample without a seed. */
export function checkSample({ sort, seed }: Sampled, issues: z.RefinementCtx): void {
  if (sort === 'sample' && seed === undefined) addIssue(issues, 'seed', 'required with sort=sample');
  if (sort !== 'sample' && seed !== undefined) addIssue(issues, 'seed', 'expected only with sort=sample');
}

/** The same for a list that is whole without `limit`. */
export function checkLimitedSample(query: Sampled, issues: z.RefinementCtx): void {
  checkSample(query, issues);
  if (query.sort === 'sample' && query.limit === undefined) addIssue(issues, 'limit', 'required with sort=sample');
}

/** The same for an export, which then is one page. */
export function checkSampleExport(query: Sampled, issues: z.RefinementCtx): void {
  checkLimitedSample(query, issues);
  if (query.sort === 'sample' && query.cursor !== undefined)
    addIssue(issues, 'cursor', 'not allowed in an export with sort=sample');
}

/** A page of an export. A sample has no other one, and no more rows than it. */
export const onlyPageOfSample = <Page extends { items: readonly unknown[]; nextCursor: string | null }>(
  { sort }: Sampled,
  page: Page,
): Page => (sort === 'sample' ? { ...page, total: page.items.length, nextCursor: null } : page);
