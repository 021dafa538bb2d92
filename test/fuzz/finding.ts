/** What must not be, in the words of the summary's columns. */
const KINDS = [
  '5xx',
  'foreign marker',
  'changed though refused',
  'not one event',
  'not as documented',
  'not as predicted',
  'unanswered',
] as const;
export type Kind = (typeof KINDS)[number];

/** The service did what it must not. */
export class Finding extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string) {
    super(`${kind}: ${message}`);
    this.kind = kind;
  }
}
