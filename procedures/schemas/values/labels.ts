import { z } from 'zod';
import { LABEL_LIMITS, dedupeLabels } from '../../../entities/schema/values.ts';
import { expected, maxLength, trimmedText } from '../fields.ts';
import { forModels } from '../for-models.ts';
import { textOutput } from '../output.ts';

/** Filter by a label. */
export const labelFilterInput = trimmedText(LABEL_LIMITS.maxLength).meta({
  description: 'A whole label, ignoring case',
  examples: ['access'],
});

/** Field with labels. @param noun plural, for descriptions and errors */
export const labelsField = (noun: string, example: string) => ({
  input: z
    .array(trimmedText(LABEL_LIMITS.maxLength), expected('an array of text'))
    .check(maxLength(LABEL_LIMITS.max, expected(`at most ${LABEL_LIMITS.max} ${noun}`)))
    .overwrite(dedupeLabels)
    .meta({
      description: `Replaces all ${noun}. At most ${LABEL_LIMITS.max}, each trimmed. Duplicates, ignoring case, are dropped; the first spelling stays.`,
    })
    .register(forModels, { description: undefined }),
  output: z
    .array(textOutput(LABEL_LIMITS.maxLength, example))
    .meta({ maxItems: LABEL_LIMITS.max, description: `The ${noun}, each once, ignoring case` }),
});
