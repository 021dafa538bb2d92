import { z } from 'zod';
import { NOT_STORABLE, boundedText, expected, forModels, isStorable } from '../schemas.ts';
import { sanitizeHtml } from './sanitize-html.ts';

/** Longest description of a task or vendor, in characters, before and after sanitizing. */
export const MAX_DESCRIPTION_LENGTH = 20_000;

const HTML_DESCRIPTION =
  'Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed. ' +
  'A `<` that begins no element of HTML is text, and comes back as `&lt;`.';
const HTML_FOR_MODELS = 'Text, or HTML without scripts, styles and images';

const EXPECTED_DESCRIPTION = `text of at most ${MAX_DESCRIPTION_LENGTH} characters`;

/** Description of a field whose input may contain HTML. */
export const HTML_OUTPUT = 'Text, or HTML without scripts, styles and images, as it was sanitized';

/** Text that may contain HTML. The sanitizer keeps formatting, links, lists and tables. */
export const descriptionInput = boundedText(
  z.string(expected(EXPECTED_DESCRIPTION)),
  EXPECTED_DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
)
  .overwrite(sanitizeHtml)
  .refine(
    (value) => value.length <= MAX_DESCRIPTION_LENGTH,
    `expected ${EXPECTED_DESCRIPTION}, also after its HTML is sanitized`,
  )
  .meta({ description: HTML_DESCRIPTION })
  .register(forModels, { description: HTML_FOR_MODELS });

/**
 * Trimmed text of 1 to `max` characters that may contain HTML. It is trimmed, sanitized, trimmed again and then counted. Empty
 * elements count as nothing.
 */
export function requiredHtml(max: number) {
  const expectation = `text of 1 to ${max} characters`;
  return z
    .string(expected(expectation))
    .refine(isStorable, { error: NOT_STORABLE, abort: true })
    .overwrite((text) => sanitizeHtml(text.trim()).trim())
    .refine((text) => text.length <= max && hasText(text), `expected ${expectation}`)
    .meta({ minLength: 1, maxLength: max, description: HTML_DESCRIPTION })
    .register(forModels, { description: HTML_FOR_MODELS });
}

/** True for text, or HTML with text. */
const hasText = (text: string) => (text.includes('<') ? text.replaceAll(/<[^>]*>/g, '') : text).trim() !== '';
