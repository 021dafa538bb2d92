import { p } from '@mikro-orm/core';
import { z } from 'zod';
import { Member } from '../member/member.ts';
import { companyReference } from '../schema/tenancy.ts';
import { describeInput, examplesOf, field, plainColumn } from './kind.ts';
import type { Builder, RefersTo, Texts } from './kind.ts';
import {
  ActorOutput,
  bodyId,
  expected,
  forModels,
  idOutput,
  maxLength,
  uniqueIdOf,
  uniqueIdOutput,
  userIdInput,
} from './schemas.ts';

// Statements check that what a field refers to may be used.

/** Texts about one id in requests. */
interface IdTexts {
  readonly description: string;
  readonly forModels: string;
}

const idInput = ({ description, forModels: text }: IdTexts) =>
  bodyId(description).register(forModels, { description: text });

/**
 * A member, or nobody. Requests take the id of the member. Responses show the member, and exports the id too.
 * @param role of the member for the object; it names the column
 * @param id what requests take
 */
export const person = (role: string, { description, id }: { description: string; id: string }) => ({
  property: () => companyReference(Member, `${role}_id`).nullable().deleteRule('no action'),
  input: userIdInput(id).register(forModels, { description: 'Id from `member_list`' }).nullable(),
  output: uniqueIdOutput.meta({ description: `uniqueId of the ${role}` }).nullable(),
  shown: ActorOutput.nullable().meta({ description }),
  personal: 'identifier' as const,
  refersTo: { kind: 'member' } as const,
});

/** Reference data of the company, or none. @param noun names the column */
export const reference = <To extends Target>(
  target: To,
  noun: 'department' | 'framework' | 'gap',
  { description, id }: { description: string; id: IdTexts },
) => ({
  property: () => companyReference(target, `${noun}_id`).nullable().deleteRule('no action'),
  input: idInput(id).nullable(),
  output: idOutput.meta({ description }).nullable(),
  personal: 'none' as const,
  refersTo: { kind: noun },
});

type Target = Parameters<typeof p.manyToOne>[0];

/** The object that a row belongs to, and is deleted with; null in a row of another one. @param noun names the column */
export const belongsTo = <Of extends Target>(target: Of, noun: string) => {
  const property = () => companyReference(target, `${noun}_id`).deleteRule('cascade');
  return { ...plainColumn(property, 'none'), nullable: () => plainColumn(() => property().nullable(), 'none') };
};

const list = <P extends Builder, Input extends z.ZodType, Item extends z.ZodType>(
  property: P,
  input: Input,
  shown: Item,
  max: number,
  refersTo: RefersTo,
  texts: Texts<unknown[]>,
  noun = 'id',
) =>
  field({
    property,
    input: describeInput(input, texts, { maxItems: max }),
    output: z.array(shown).meta({ maxItems: max, description: texts.description, ...examplesOf(texts) }),
    personal: 'none',
    check: { suffix: '_max', condition: (column) => `cardinality(${column}) <= ${max}` },
    refersTo,
    violation: (name, ids) => {
      if (!Array.isArray(ids)) return undefined;
      if (ids.length > max) return `${name}: expected at most ${max}`;
      return new Set(ids).size < ids.length ? `${name}: expected each ${noun} once` : undefined;
    },
  });

/** Reference data of the company. */
export const references = (
  kind: 'department' | 'framework' | 'gap',
  max: number,
  { id, ...texts }: Texts<number[]> & { id: IdTexts },
) =>
  list(
    p.integer().array().columnType('int[]').default([]),
    z.array(idInput(id), expected('an array of integers')),
    idOutput,
    max,
    { kind },
    texts,
  );

/** Objects of one type. @param example a uniqueId */
export const objects = (type: 'vendor', example: string, max: number, texts: Texts<string[]>) =>
  list(
    p.uuid().array().columnType('uuid[]').default([]),
    z
      .array(
        uniqueIdOf(type)
          .meta({ format: 'uuid', examples: [example] })
          .register(forModels, { description: `Id from \`${type}_page\`` }),
        expected('an array of text'),
      )
      .check(maxLength(max, expected(`at most ${max} ${type}s`))),
    uniqueIdOutput.meta({ examples: [example] }),
    max,
    { kind: type },
    texts,
  );

/**
 * Members, whom responses show. Requests take their ids under the same name.
 * @param id what requests take for each
 * @param several what the error says of those that cannot be used
 */
export const people = (max: number, { id, several, ...texts }: Texts<string[]> & { id: string; several?: string }) => ({
  ...list(
    p.uuid().array().columnType('uuid[]').default([]),
    z.array(userIdInput(id), expected('an array of uniqueIds')),
    ActorOutput,
    max,
    { kind: 'member', several },
    texts,
    'member',
  ),
  personal: 'identifier' as const,
  check: {
    suffix: '',
    condition: (column: string) => `cardinality(${column}) <= ${max} AND array_position(${column}, NULL::uuid) IS NULL`,
  },
});
