/** Kinds of violations. */
const FINDING_KINDS = [
  '5xx',
  'cross-tenant text',
  'changed despite error',
  'audit event mismatch',
  'violates OpenAPI document',
  'unexpected response',
  'no response',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** A violation by the service. */
export class Finding extends Error {
  readonly kind: FindingKind;

  constructor(kind: FindingKind, message: string) {
    super(`${kind}: ${message}`);
    this.kind = kind;
  }
}
