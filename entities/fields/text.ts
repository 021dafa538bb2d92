import { p } from '@mikro-orm/core';
import type { z } from 'zod';
import { MAX_NAME_LENGTH } from '../company/company.ts';
import { describeInput, field } from './kind.ts';
import type { Texts } from './kind.ts';
import { nameOf, textInput, textOutput, trimmedText } from './schemas.ts';

type TextTexts = Texts<string> & { readonly example: string };

/** A field of at most `max` characters. @param input schema of requests */
export const textField = <Input extends z.ZodType>(max: number, input: Input, texts: TextTexts, collation?: string) => {
  const property = p.string().length(max);
  return field({
    property: collation === undefined ? property : property.collation(collation),
    input: describeInput(input, texts),
    output: textOutput(max, texts.example, texts.description),
    personal: 'content',
  });
};

export const notEmpty = { suffix: '_not_empty', condition: (column: string) => `${column}::text <> ''::text` };

/** A name or title. @param collation of its order, by default that of the database */
export const name = (texts: TextTexts, collation?: string) =>
  textField(MAX_NAME_LENGTH, nameOf(MAX_NAME_LENGTH), texts, collation).withCheck(notEmpty);

/** Characters that a file name cannot have where it is saved, and the names of folders. */
const FORBIDDEN_FILE_NAME = /[/\\]|^\.{1,2}$/;

/** The name of a file. */
export const fileName = (max: number, texts: TextTexts) => {
  const error = 'expected a name without / and \\, other than . and ..';
  const input = nameOf(max).refine((sent) => !FORBIDDEN_FILE_NAME.test(sent), error);
  return textField(max, input, texts).withCheck({
    suffix: '',
    condition: (column) => String.raw`${column}::text ~ '^[^/\\\x01-\x1f\x7f-\x9f]+$'::text`,
  });
};

/** Trimmed text of 1 to `max` characters. */
export const text = (max: number, texts: TextTexts) => textField(max, trimmedText(max), texts);

/** Text of at most `max` characters as it was sent, which may be empty. */
export const freeText = (max: number, texts: TextTexts, noun = 'text') =>
  textField(max, textInput(`${noun} of at most ${max} characters`, max), texts);

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
  textField(max, httpUrlInput(max), texts).forPeople({ written: 'url' });
