import { z } from 'zod';
import { MAX_ID } from '../entities/ids.ts';

// Fields of answers. Bounds and examples are told to the document and checked nowhere: what is stored keeps to them already.

/** Text that was stored before. @param most UTF-16 units */
export const givenText = (most: number, example: string, description?: string) =>
  z.string().meta({ maxLength: most, examples: [example], ...(description !== undefined && { description }) });

const between = (minimum: number, maximum: number) => ({ format: 'int32', minimum, maximum });

/** The integer id of reference data. */
export const givenId = z.int().meta(between(1, MAX_ID));

/** A number that counts. @param least where it begins */
export const givenCount = (least: number, most: number, description: string) =>
  z.int().meta({ ...between(least, most), description });
