import { z } from 'zod';
import { bodyId, expected, maxLength, minLength } from '../../entities/fields/schemas.ts';

/** Maximum length of a list of frameworks or address ranges. */
export const MAX_LIST_ITEMS = 100;

/** Frameworks that an API key or a member is limited to, sorted and distinct; null for all. */
export const frameworksInput = (description: string) =>
  z
    .array(bodyId('A framework of the company'), expected('an array of integers, or null'))
    .check(minLength(1, 'expected at least one framework, or null for all'))
    .check(maxLength(MAX_LIST_ITEMS, `expected at most ${MAX_LIST_ITEMS} frameworks`))
    .overwrite((frameworks) => [...new Set(frameworks)].toSorted((a, b) => a - b))
    .nullable()
    .meta({ description });
