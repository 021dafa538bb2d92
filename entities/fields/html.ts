import { z } from 'zod';
import { sanitizeHtml } from './sanitize-html.ts';
import type { Texts } from './kind.ts';
import { NOT_STORABLE, boundedText, expected, isStorable } from './schemas.ts';
import { notEmpty, textField } from './text.ts';

/** Longest description of a task or vendor, in characters, before and after sanitizing. */
export const MAX_DESCRIPTION_LENGTH = 20_000;

/** Maximum length of a text before it is sanitized, as a multiple of that after it. */
const MAX_UNSANITIZED = 2.5;

/** Maximum number of start and end tags in a text, because the sanitizer takes longer for each. */
const MAX_TAGS = 2000;
const TAG = /<\/?[a-z]/gi;

const TOO_MANY_TAGS = `expected HTML with at most ${MAX_TAGS.toLocaleString('en')} start and end tags`;

/** True if a text has few enough tags. */
function hasFewTags(text: string): boolean {
  let tags = 0;
  for (const _ of text.matchAll(TAG)) if (++tags > MAX_TAGS) return false;
  return true;
}

const INPUT_DESCRIPTION =
  'Text without a `<` is stored unchanged. Other text is HTML: formatting, links, lists and tables are kept; scripts, styles and images are removed. ' +
  'A `<` that does not begin an HTML element is text and comes back as `&lt;`. A text has at most 2,000 start and end tags.';

type HtmlTexts = Pick<Texts<string>, 'input'> & { readonly example: string };

const htmlField = <Input extends z.ZodType>(max: number, schema: Input, { input, example }: HtmlTexts) =>
  textField(max, schema, {
    description: 'Text, or HTML without scripts, styles and images, as it was sanitized',
    input: { ...input, description: INPUT_DESCRIPTION },
    forModels: 'Text, or HTML without scripts, styles and images',
    example,
  }).forPeople({ written: 'html' });

/** Text that may contain HTML. The sanitizer keeps formatting, links, lists and tables. */
export function html(max: number, texts: HtmlTexts) {
  const expectation = `text of at most ${max} characters`;
  const input = boundedText(z.string(expected(expectation)), expectation, max)
    .refine(hasFewTags, { error: TOO_MANY_TAGS, abort: true })
    .overwrite(sanitizeHtml)
    .refine((value) => value.length <= max, `expected ${expectation}, also after its HTML is sanitized`);
  return htmlField(max, input, texts);
}

/**
 * Trimmed text of 1 to `max` characters that may contain HTML. It is trimmed, sanitized, trimmed again and then counted. Empty
 * elements count as nothing. Before it is sanitized it may be longer, but not by much, because that takes time.
 */
export function requiredHtml(max: number, texts: HtmlTexts) {
  const expectation = `text of 1 to ${max} characters`;
  const input = z
    .string(expected(expectation))
    .refine(isStorable, { error: NOT_STORABLE, abort: true })
    .refine((text) => text.trim().length <= MAX_UNSANITIZED * max, { error: `expected ${expectation}`, abort: true })
    .refine(hasFewTags, { error: TOO_MANY_TAGS, abort: true })
    .overwrite((text) => sanitizeHtml(text.trim()).trim())
    .refine((text) => text.length <= max && hasText(text), `expected ${expectation}`)
    .meta({ minLength: 1, maxLength: max });
  return htmlField(max, input, texts).withCheck(notEmpty);
}

/** True for text, or HTML with text. */
const hasText = (text: string) => (text.includes('<') ? text.replaceAll(/<[^>]*>/g, '') : text).trim() !== '';
