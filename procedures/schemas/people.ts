import { z } from 'zod';
import { MAX_EMAIL_LENGTH, ROLES } from '../../entities/people/role.ts';
import { expected, maxLength } from './fields.ts';

/** Bounds of a password, in characters. */
const PASSWORD_LENGTH = { min: 10, max: 200 } as const;

/** Maximum length of a code of the second factor, with spaces and dashes. */
const MAX_CODE_LENGTH = 100;

/** An email address, in lower case. */
export const emailInput = z
  .string(expected('an email address'))
  .trim()
  .toLowerCase()
  .check(maxLength(MAX_EMAIL_LENGTH, `expected at most ${MAX_EMAIL_LENGTH} characters`))
  .pipe(z.email('expected an email address'))
  .meta({ description: 'Email address; case is ignored' });

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

export const roleInput = z.enum(ROLES, expected(`one of ${ROLES.join(', ')}`)).meta({ description: 'Role' });

/** A TOTP code or a recovery code. */
export const codeInput = z
  .string(expected('text'))
  .check(maxLength(MAX_CODE_LENGTH, `expected at most ${MAX_CODE_LENGTH} characters`))
  .meta({ description: 'Code of the second factor, or a recovery code' });

/** Token of a link. Any text passes here, because malformed tokens return 404. */
export const tokenInput = z.string(expected('text')).meta({ description: 'Token of the link' });
