import { z } from 'zod';
import { MAX_ID } from '../../entities/ids.ts';

// Fields of answers. Bounds and examples are told to the document and checked nowhere: what is stored keeps to them already.

/** Text that was stored before. @param maxLength UTF-16 units */
export const textOutput = (maxLength: number, example: string, description?: string) =>
  z.string().meta({ maxLength, examples: [example], ...(description !== undefined && { description }) });

const int32Range = (min: number, max: number) => ({ format: 'int32', minimum: min, maximum: max });

/** The integer id of reference data. */
export const idOutput = z.int().meta(int32Range(1, MAX_ID));

/** A number that counts. @param min where it begins */
export const integerOutput = (min: number, max: number, description: string) =>
  z.int().meta({ ...int32Range(min, max), description });
