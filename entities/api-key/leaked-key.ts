import type { LeakedKeyPolicy } from '../company/company.ts';

/** State of a secret that was found in public. */
export interface LeakedSecret {
  /** State of its key. */
  enabled: boolean;
  /** True until a rotation ends the validity of the secret. */
  active: boolean;
  /** Policy of its company. */
  leakedKeyPolicy: LeakedKeyPolicy;
  /** Earlier reports: if there were any, their URLs, and if one of them disabled the key. */
  reported: boolean;
  knownUrls: readonly string[];
  disabledForLeak: boolean;
}

/**
 * Decides the new state of a key after a report of its secret. A known URL changes nothing: it does not disable a key
 * that an admin enabled again after a leak. An inactive secret is recorded and does not disable its successor. Contract, section 5.
 * @param url null if the report names no place
 * @returns null if there is nothing to change
 */
export function applyLeakReport(secret: LeakedSecret, url: string | null): { enabled: boolean } | null {
  const disables = secret.enabled && secret.active && secret.leakedKeyPolicy === 'disable';
  const isKnown = url === null ? secret.reported : secret.knownUrls.includes(url);
  if (isKnown && (!disables || secret.disabledForLeak)) return null;
  return { enabled: secret.enabled && !disables };
}
