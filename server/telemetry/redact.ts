import { redactRawKeys } from '../../entities/api-key/raw-key.ts';

const REDACTED = '[redacted]';

/** The value of a header that carries a credential, in an object or in a list of names and values, however often it was made JSON. */
const CREDENTIAL_HEADERS = /(\\*"(?:(?:proxy-)?authorization|x-api-key|cookie)\\*"\s*[:,]\s*\[?\s*\\*")[^"\\]*/gi;
const AUTHORIZATION_VALUE = /\b(bearer|basic) +[^\s"\\,;]+/gi;
/** The password of a URL, up to the last `@` before its path, and one among its parameters. */
const URL_PASSWORD = /\b([a-z][a-z\d+.-]*:\/\/[^\s:@/"\\]*):[^\s/"\\]*@/gi;
const PASSWORD_PARAMETER = /([?&](?:ssl)?password=)[^\s&"\\]*/gi;

/**
 * Makes what takes every secret out of a line before it is written, wherever it stands and whoever logged it.
 * @param secrets texts that are secret here, beside what can be told by its form
 */
export function redactor(secrets: readonly string[] = []): (line: string) => string {
  return (line) => {
    let redacted = redactRawKeys(line);
    for (const secret of secrets) redacted = redacted.replaceAll(secret, REDACTED);
    return redacted
      .replaceAll(CREDENTIAL_HEADERS, `$1${REDACTED}`)
      .replaceAll(AUTHORIZATION_VALUE, `$1 ${REDACTED}`)
      .replaceAll(URL_PASSWORD, `$1:${REDACTED}@`)
      .replaceAll(PASSWORD_PARAMETER, `$1${REDACTED}`);
  };
}
