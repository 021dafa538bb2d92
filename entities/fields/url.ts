import { textInput } from './schemas.ts';

/**
 * An absolute URL with `//` and a host, without characters that parsers of URLs remove or replace: white space, control
 * characters and backslashes.
 */
const ABSOLUTE_URL = /^https?:\/\/[^/?#\s\\\p{Cc}][^\s\\\p{Cc}]*$/iu;

/** User info in the authority. https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1 */
const USER_INFO = /^\w+:\/\/[^/?#]*@/;

/** An http or https URL without user info, kept as sent. People take the user info of a link for its host. */
export function httpUrlInput(maxLength: number) {
  const expectation = `an http or https URL of at most ${maxLength} characters`;
  return textInput(expectation, maxLength)
    .refine((text) => ABSOLUTE_URL.test(text) && URL.canParse(text), { error: `expected ${expectation}`, abort: true })
    .refine((text) => !USER_INFO.test(text), 'expected a URL without user info');
}
