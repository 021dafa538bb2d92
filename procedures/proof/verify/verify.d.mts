/** The proof does not hold. The message is one line that names the first wrong file or sequence. */
export class ProofError extends Error {}

/** Bytes of the ZIP. */
export interface ProofSource {
  readonly size: number;
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Functions that Node and browsers have under different names. */
export interface ProofPlatform {
  /** An incremental SHA-256. */
  sha256(): { update(bytes: Uint8Array): unknown; digest(): Uint8Array };
  /** Inflates raw deflate. It fails if the data break off, and if bytes follow their end. */
  inflate(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Verifies an Ed25519 signature. @param key the 32 bytes of the public key */
  verify(
    key: Uint8Array<ArrayBuffer>,
    signature: Uint8Array<ArrayBuffer>,
    bytes: Uint8Array<ArrayBuffer>,
  ): boolean | Promise<boolean>;
}

export interface ProofOptions {
  /** Trusted public keys, each as PEM, or JWK sets. The proof's key must be one of them. */
  keys?: readonly string[];
  /** A response of `GET /external/audit/checkpoint`, as text. */
  checkpoint?: string | undefined;
  /** Receives the numbers of bytes that were read, and that will have been read at the end. */
  progress?: ((read: number, total: number) => void) | undefined;
}

export type FieldKind = 'plain' | 'person' | 'people' | 'review' | 'time';

/** A field that is true if the field `of` equals a value, or one that only registers have, by a rule of the verifiers. */
export type DerivedField = { field: string; of: string; equals: unknown } | { field: string; rule: string };

/** `fields.json`. */
export interface ProofFields {
  event: Record<string, { field: string | null; kind: FieldKind }>;
  types: Record<
    string,
    {
      columns: Record<string, { field: string | null; kind: FieldKind; default?: unknown }>;
      derived: DerivedField[];
    }
  >;
}

/** A proof that holds. */
export interface ProofResult {
  product: { name: string; version: string };
  company: { id: number; name: string };
  /** Null for the beginning of the log. */
  from: string | null;
  asOf: string;
  frameworks: number[] | null;
  /** Names of these frameworks at `asOf`. */
  frameworkNames: string[] | null;
  evidence: boolean;
  createdAt: string;
  head: { sequence: number; hash: string };
  /** Numbers of the rows of each register, of members, and of events. */
  counts: Record<string, number>;
  /** Files whose bytes were gone. */
  missing: { sha256: string; size: number }[];
  /** Number of pieces of evidence whose file is not in the proof: it is missing, or the proof was made without files. */
  withoutFile: number;
  /** RFC 7638 thumbprint of the key that signed the proof. */
  fingerprint: string;
  /** True if the caller gave keys, and the proof's is one of them. */
  isKeyGiven: boolean;
  /** Time in `manifest.tsr`; null without one. Its signature is not checked. */
  timestamp: string | null;
  /** Null without a checkpoint. Without its key its signature is not checked. */
  checkpoint: { sequence: number; isSignatureChecked: boolean } | null;
  /** True if the registers were rebuilt from the events, which a proof from the beginning allows. */
  isRebuilt: boolean;
  fields: ProofFields;
}

/**
 * The name that a file of evidence has in a proof: at most 200 bytes, with `_` for characters and names that Windows refuses, and for
 * those that are invisible or change the direction of text.
 */
export function fileNameOf(name: string): string;

/** Verifies a proof. @throws ProofError if it does not hold */
export function verifyProof(source: ProofSource, platform: ProofPlatform, options?: ProofOptions): Promise<ProofResult>;

/** Fields by type that are null in a register, because no event has them. */
export const UNRECORDED: Readonly<Record<string, readonly string[]>>;

/** Values of fields that only registers have, by the name of their rule. */
export const RULES: Readonly<Record<'requirement', (row: Readonly<Record<string, unknown>>) => unknown>>;

/** The result in lines for people. */
export function describe(result: ProofResult): string[];

/** The platform of Node. */
export function nodePlatform(): Promise<ProofPlatform>;

/** Opens a file for `verifyProof`. */
export function openFile(path: string): Promise<ProofSource & { close(): Promise<void> }>;
