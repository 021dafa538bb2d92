import type { TestCompany } from './company.ts';
import type { TestMember } from './member.ts';

interface Outline {
  /** Headings at the top: A.5, A.6, … */
  headings: number;
  /** Requirements below each of them: A.5.1, A.5.2, … */
  each: number;
}

/** Creates an outline of requirements. @returns their uniqueIds by ref */
export async function createOutline(
  { framework }: Pick<TestCompany, 'framework'>,
  { caller }: Pick<TestMember, 'caller'>,
  { headings, each }: Outline,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let index = 0; index < headings; index += 1) {
    const ref = `A.${index + 5}`;
    const { uniqueId: parent } = await caller.requirement.create({
      framework,
      ref,
      title: `Controls ${index + 5}`,
      assessable: false,
    });
    ids.set(ref, parent);
    const { results } = await caller.requirement.batch({
      framework,
      items: Array.from({ length: each }, (_, number) => ({
        op: 'create' as const,
        body: { ref: `${ref}.${number + 1}`, title: `Policy ${index + 5}.${number + 1}`, parent },
      })),
    });
    for (const { item } of results) if (item !== undefined) ids.set(item.ref, item.uniqueId);
  }
  return ids;
}

/** The uniqueId of a requirement of an outline. */
export function idOf(ids: ReadonlyMap<string, string>, ref: string): string {
  const uniqueId = ids.get(ref);
  if (uniqueId === undefined) throw new Error(`${ref}: expected a requirement of the outline`);
  return uniqueId;
}
