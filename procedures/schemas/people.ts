import { z } from 'zod';
import { enumInput, expected, maxLength, nameInput } from '../../entities/fields/schemas.ts';
import { MAX_EMAIL_LENGTH, ROLES } from '../../entities/member/role.ts';

/** Bounds of a password, in characters. */
const PASSWORD_LENGTH = { min: 10, max: 200 } as const;

/** Maximum length of a code of the second factor, with spaces and dashes. */
const MAX_CODE_LENGTH = 100;

/**
 * An email address, in lower case. The format is checked before the case is folded: characters beyond ASCII, such as the
 * Kelvin sign, have lower-case letters of ASCII.
 */
export const emailInput = z
  .string(expected('an email address'))
  .trim()
  .check(maxLength(MAX_EMAIL_LENGTH, `expected at most ${MAX_EMAIL_LENGTH} characters`))
  .pipe(z.email('expected an email address').toLowerCase())
  .meta({ description: 'Email address; case is ignored' });

/**
 * Embeddings, overrides and isolates, which show text in another order.
 * https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu;

/** Removes the characters that show a name in another order. */
export const withoutOverrides = (name: string): string => name.replaceAll(OVERRIDES, '');

/** The name of a person. */
export const personNameInput = (description: string) =>
  nameInput(description).overwrite((name) => withoutOverrides(name).trim());

/** A new password. */
export const newPasswordInput = z
  .string(expected('text'))
  .refine(
    ({ length }) => length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max,
    `expected ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
  )
  .meta({ description: 'New password' });

/** A password to verify. Its length is bounded, as hashing costs time. */
export const passwordInput = z.string(expected('text')).check(maxLength(PASSWORD_LENGTH.max, 'expected the password'));

export const roleInput = enumInput(ROLES).meta({ description: 'Role' });

/** A TOTP code or a recovery code. */
export const codeInput = z
  .string(expected('text'))
  .check(maxLength(MAX_CODE_LENGTH, `expected at most ${MAX_CODE_LENGTH} characters`))
  .meta({ description: 'Code of the second factor, or a recovery code' });

/** Token of a link. Any text passes here, because malformed tokens return 404. */
export const tokenInput = z.string(expected('text')).meta({ description: 'Token of the link' });
