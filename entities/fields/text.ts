import { p } from '@mikro-orm/core';
import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { describeInput, field } from './kind.ts';
import type { Texts } from './kind.ts';
import { boundedText, expected, nameOf, textInput, textOutput, trimmedText } from './schemas.ts';

/** Texts of a field that shows an example. */
export type TextTexts = Texts<string> & { readonly example: string };

export const notEmpty = { suffix: '_not_empty', condition: (column: string) => `${column}::text <> ''::text` };

/** A name or title. @param texts `byCodePoint`: its order is the same in every database */
export const name = ({ byCodePoint = false, ...texts }: TextTexts & { byCodePoint?: boolean }) => {
  const property = p.string().length(MAX_NAME_LENGTH);
  return field({
    property: byCodePoint ? property.collation('C') : property,
    input: describeInput(nameOf(MAX_NAME_LENGTH), texts),
    output: textOutput(MAX_NAME_LENGTH, texts.example, texts.description),
    personal: 'content',
    check: notEmpty,
  });
};

/** What no name of a file has where it is saved, and the names of folders. */
const FORBIDDEN_FILE_NAME = /[/\\]|^\.{1,2}$/;

/** The name of a file. */
export const fileName = (max: number, texts: TextTexts) =>
  field({
    property: p.string().length(max),
    input: describeInput(
      nameOf(max).refine(
        (text) => !FORBIDDEN_FILE_NAME.test(text),
        'expected a name without / and \\, other than . and ..',
      ),
      texts,
    ),
    output: textOutput(max, texts.example, texts.description),
    personal: 'content',
    check: { suffix: '', condition: (column) => String.raw`${column}::text ~ '^[^/\\\x01-\x1f\x7f-\x9f]+$'::text` },
  });

/** Trimmed text of 1 to `max` characters. */
export const text = (max: number, texts: TextTexts) =>
  field({
    property: p.string().length(max),
    input: describeInput(trimmedText(max), texts),
    output: textOutput(max, texts.example, texts.description),
    personal: 'content',
  });

/** Text of at most `max` characters as it was sent, which may be empty. */
export const freeText = (max: number, texts: TextTexts, noun = 'text') => {
  const expectation = `${noun} of at most ${max} characters`;
  return field({
    property: p.string().length(max),
    input: describeInput(boundedText(z.string(expected(expectation)), expectation, max), texts),
    output: textOutput(max, texts.example, texts.description),
    personal: 'content',
  });
};

/**
 * An absolute URL with `//` and a host, without characters that parsers of URLs remove or replace: white space, control
 * characters and backslashes.
 */
const ABSOLUTE_URL = /^https?:\/\/[^/?#\s\\\p{Cc}][^\s\\\p{Cc}]*$/iu;

/** User info in the authority. https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1 */
const USER_INFO = /^\w+:\/\/[^/?#]*@/;

/** An http or https URL without user info, kept as sent. People take the user info of a link for its host. */
export function httpUrlInput(max: number) {
  const expectation = `an http or https URL of at most ${max} characters`;
  return textInput(expectation, max)
    .refine((sent) => ABSOLUTE_URL.test(sent) && URL.canParse(sent), { error: `expected ${expectation}`, abort: true })
    .refine((sent) => !USER_INFO.test(sent), 'expected a URL without user info');
}

/** A link to a page. */
export const url = (max: number, texts: TextTexts) =>
  field({
    property: p.string().length(max),
    input: describeInput(httpUrlInput(max), texts),
    output: textOutput(max, texts.example, texts.description),
    personal: 'content',
  });
