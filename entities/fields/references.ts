import { p } from '@mikro-orm/core';
import { z } from 'zod';
import { Member } from '../member/member.ts';
import { companyReference } from '../schema/tenancy.ts';
import { describeInput, examplesOf, field, plainColumn } from './kind.ts';
import type { Builder, Column, RefersTo, Texts } from './kind.ts';
import {
  ActorOutput,
  EXAMPLE_IDS,
  bodyId,
  expected,
  forModels,
  idOutput,
  maxLength,
  uniqueIdOf,
  uniqueIdOutput,
  userIdInput,
} from './schemas.ts';

// Statements check that a reference may be used.

type Target = Parameters<typeof p.manyToOne>[0];
type ReferenceDataType = 'department' | 'framework' | 'gap';

/** @param type of the reference data, whose list has the ids */
const idInput = (type: ReferenceDataType, description: string) =>
  bodyId(description).register(forModels, { description: `Id from \`${type}_list\`, not archived` });

/**
 * A member, or nobody. Requests take the id of the member. Responses show the member, and exports the id too.
 * @param role of the member for the object; it names the column
 * @param id what requests take
 * @param excludesAuditors true for a member who may not be an auditor
 */
export const person = (
  role: string,
  { description, id, excludesAuditors = false }: { description: string; id: string; excludesAuditors?: boolean },
) => ({
  property: () => companyReference(Member, `${role}_id`).nullable().deleteRule('no action'),
  input: userIdInput(id).register(forModels, { description: 'Id from `member_list`' }).nullable(),
  output: uniqueIdOutput.meta({ description: `uniqueId of the ${role}` }).nullable(),
  shown: ActorOutput.nullable().meta({ description }),
  personal: 'identifier' as const,
  refersTo: { kind: 'member', excludesAuditors } as const,
});

/** Reference data of the company, or none. @param type names the column @param id what requests take */
export const reference = <To extends Target>(
  target: To,
  type: ReferenceDataType,
  { description, id }: { description: string; id: string },
) => ({
  property: () => companyReference(target, `${type}_id`).nullable().deleteRule('no action'),
  input: idInput(type, id).nullable(),
  output: idOutput.meta({ description }).nullable(),
  personal: 'none' as const,
  refersTo: { kind: type },
});

/** The object that a row belongs to, and is deleted with; null in a row of another one. @param noun names the column */
export const belongsTo = <Of extends Target>(target: Of, noun: string) => {
  const property = () => companyReference(target, `${noun}_id`).deleteRule('cascade');
  return { ...plainColumn(property, 'none'), nullable: () => plainColumn(() => property().nullable(), 'none') };
};

const idList = <P extends Builder, Ids extends z.ZodType, Shown extends z.ZodType>(
  property: P,
  [ids, shown]: readonly [ids: Ids, shown: Shown],
  max: number,
  refersTo: RefersTo,
  texts: Texts<unknown[]>,
  { noun = 'id', personal = 'none' }: { noun?: string; personal?: Column['personal'] } = {},
) =>
  field({
    property,
    input: describeInput(ids, texts, { maxItems: max }),
    output: z.array(shown).meta({ maxItems: max, description: texts.description, ...examplesOf(texts) }),
    personal,
    check: { suffix: '_max', condition: (column) => `cardinality(${column}) <= ${max}` },
    refersTo,
    violation: (name, given) => {
      if (!Array.isArray(given)) return undefined;
      if (given.length > max) return `${name}: expected at most ${max}`;
      return new Set(given).size < given.length ? `${name}: expected each ${noun} once` : undefined;
    },
  });

/** Reference data of the company. @param id what requests take for each */
export function references(type: ReferenceDataType, max: number, { id, ...texts }: Texts<number[]> & { id: string }) {
  const ids = z.array(idInput(type, id), expected('an array of integers'));
  return idList(p.integer().array().columnType('int[]').default([]), [ids, idOutput], max, { kind: type }, texts);
}

/**
 * Another object of the same type and framework, or none. The table checks it, and statements say what is expected.
 * @param id what requests take
 */
export const objectOfFramework = (type: 'requirement', { description, id }: { description: string; id: string }) => ({
  property: p.uuid().nullable(),
  input: uniqueIdOf(type)
    .meta({ description: id, format: 'uuid', examples: [EXAMPLE_IDS[type]] })
    .register(forModels, { description: `Id from \`${type}_list\`` })
    .nullable(),
  output: uniqueIdOutput.meta({ description }).nullable(),
  personal: 'none' as const,
  refersTo: { kind: 'parent' } as const,
});

const uniqueIds = () => p.uuid().array().columnType('uuid[]').default([]);

/** Objects of one type. */
export function objects(type: 'vendor' | 'requirement', max: number, texts: Texts<string[]>) {
  const example = EXAMPLE_IDS[type];
  const id = uniqueIdOf(type)
    .meta({ format: 'uuid', examples: [example] })
    .register(forModels, { description: `Id from \`${type === 'vendor' ? 'vendor_page' : 'requirement_list'}\`` });
  const ids = z.array(id, expected('an array of text')).check(maxLength(max, expected(`at most ${max} ${type}s`)));
  return idList(uniqueIds(), [ids, uniqueIdOutput.meta({ examples: [example] })], max, { kind: type }, texts);
}

/**
 * Members, whom responses show. Requests take their ids under the same name.
 * @param id what requests take for each
 * @param several what the error says about those that cannot be used
 */
export function people(max: number, { id, several, ...texts }: Texts<string[]> & { id: string; several?: string }) {
  const ids = z.array(userIdInput(id), expected('an array of uniqueIds'));
  return idList(uniqueIds(), [ids, ActorOutput], max, { kind: 'member', several }, texts, {
    noun: 'member',
    personal: 'identifier',
  }).withCheck({
    suffix: '',
    condition: (column) => `cardinality(${column}) <= ${max} AND array_position(${column}, NULL::uuid) IS NULL`,
  });
}
