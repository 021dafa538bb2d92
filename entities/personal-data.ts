/** Tables that hold data of people. */
export const PERSONAL_TABLES: readonly string[] = [
  'company_user',
  'identity',
  'invitation',
  'member',
  'passkey',
  'person',
  'recovery_code',
  'reset_link',
  'sign_in',
  'sign_in_challenge',
  'unknown_sign_in',
  'web_session',
];
