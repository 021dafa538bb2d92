import { z } from 'zod';
import { MAX_EVIDENCE } from '../../entities/evidence/evidence.ts';
import { MAX_ID } from '../../entities/ids.ts';

// Response fields. Bounds and examples are only documented, because input schemas and constraints enforce them.

/** Stored text. @param maxLength in UTF-16 code units */
export const textOutput = (maxLength: number, example: string, description?: string) =>
  z.string().meta({ maxLength, examples: [example], ...(description !== undefined && { description }) });

/** A list without pages. Its items are counted in 32 bits. */
export const listOutput = <Item extends z.ZodType>(item: Item) => z.array(item).meta({ maxItems: MAX_ID });

const int32Range = (min: number, max: number) => ({ format: 'int32', minimum: min, maximum: max });

/** An integer id of reference data. */
export const idOutput = z.int().meta({ ...int32Range(1, MAX_ID), description: 'Id, which never changes' });

/** An integer from `min` to `max`. */
export const integerOutput = (min: number, max: number, description: string) =>
  z.int().meta({ ...int32Range(min, max), description });

/** The number of pieces of evidence of a task or a vendor. */
export const evidenceCountOutput = {
  evidenceCount: integerOutput(0, MAX_EVIDENCE, 'Pieces of evidence now; null with `asOf`').nullable(),
};

/** A time of an entity in a response. */
export const isoOrNull = (date: Date | null | undefined) => date?.toISOString() ?? null;
