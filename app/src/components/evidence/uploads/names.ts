const MAX_NAME_LENGTH = 255;
/** Characters that a name may not have. */
const FORBIDDEN = /[/\\\p{Cc}]/gu;
/** Name that browsers give to a picture of the clipboard. */
const CLIPBOARD_NAME = /^image\.(\w+)$/;

/** The name of evidence for a file: without forbidden characters, and with its ending if it is too long. */
export function evidenceName(fileName: string): string {
  const name = fileName.replaceAll(FORBIDDEN, '_').trim();
  if (name === '') return 'File';
  if (name.length <= MAX_NAME_LENGTH) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
  return name.slice(0, MAX_NAME_LENGTH - ending.length) + ending;
}

/** The name of a pasted file. A picture without a name of its own gets the time: "Screenshot 2026-11-26 14.03.22.png". */
export function pastedName(fileName: string, now = new Date()): string {
  const ending = CLIPBOARD_NAME.exec(fileName)?.[1];
  return ending === undefined ? evidenceName(fileName) : `Screenshot ${timeOf(now)}.${ending}`;
}

const MINUTE_MS = 60_000;

/** A time in the time zone of the browser, which a file name can have. */
const timeOf = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
    .replaceAll(':', '.');
