import { withoutRawKeys } from '../entities/raw-key.ts';

const GONE = '[redacted]';

/** The value of a header that carries a credential, in an object or in a list of names and values, however often it was made JSON. */
const CREDENTIALS = /(\\*"(?:(?:proxy-)?authorization|x-api-key|cookie)\\*"\s*[:,]\s*\[?\s*\\*")[^"\\]*/gi;
const BEARER = /\b(bearer|basic) +[^\s"\\,;]+/gi;
/** The password of a URL, up to the last `@` before its path, and one among its parameters. */
const URL_PASSWORD = /\b([a-z][a-z\d+.-]*:\/\/[^\s:@/"\\]*):[^\s/"\\]*@/gi;
const PARAMETER = /([?&](?:ssl)?password=)[^\s&"\\]*/gi;

/**
 * Makes what takes every secret out of a line before it is written, wherever it stands and whoever logged it.
 * @param secrets texts that are secret here, beside what can be told by its form
 */
export function redactor(secrets: readonly string[] = []): (line: string) => string {
  return (line) => {
    let shown = withoutRawKeys(line);
    for (const secret of secrets) shown = shown.replaceAll(secret, GONE);
    return shown
      .replaceAll(CREDENTIALS, `$1${GONE}`)
      .replaceAll(BEARER, `$1 ${GONE}`)
      .replaceAll(URL_PASSWORD, `$1:${GONE}@`)
      .replaceAll(PARAMETER, `$1${GONE}`);
  };
}
