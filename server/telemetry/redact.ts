import { redactSecrets } from '../../entities/api-key/raw-key.ts';

const REDACTED = '[redacted]';

/**
 * Value of a header with secrets in JSON, as a property or in a list of names and values. Quotes may be escaped repeatedly. A `Referer` may be
 * the address of a page with the token of a link.
 */
const SECRET_HEADERS = /(\\*"(?:(?:proxy-)?authorization|x-api-key|cookie|referer)\\*"\s*[:,]\s*\[?\s*\\*")[^"\\]*/gi;
const AUTHORIZATION_VALUE = /\b(bearer|basic) +[^\s"\\,;]+/gi;
/** Password in the authority of a URL, up to the last `@` before the path. */
const URL_PASSWORD = /\b([a-z][a-z\d+.-]*:\/\/[^\s:@/"\\]*):[^\s/"\\]*@/gi;
/** Password in a URL parameter. */
const PASSWORD_PARAMETER = /([?&](?:ssl)?password=)[^\s&"\\]*/gi;

/**
 * Creates a function that redacts secrets from a complete log line, in any field.
 * @param secrets secret texts to redact, in addition to secrets that are recognized by their format
 */
export function redactor(secrets: readonly string[] = []): (line: string) => string {
  return (line) => {
    let redacted = redactSecrets(line);
    for (const secret of secrets) redacted = redacted.replaceAll(secret, REDACTED);
    return redacted
      .replaceAll(SECRET_HEADERS, `$1${REDACTED}`)
      .replaceAll(AUTHORIZATION_VALUE, `$1 ${REDACTED}`)
      .replaceAll(URL_PASSWORD, `$1:${REDACTED}@`)
      .replaceAll(PASSWORD_PARAMETER, `$1${REDACTED}`);
  };
}
