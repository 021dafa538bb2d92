import type { LeakedKeyPolicy } from '../company.ts';

/** A secret that was found in public, and what is known of it. */
export interface LeakedSecret {
  /** Of its key. */
  enabled: boolean;
  /** Whether it opens anything while its key does: not once a rotation has put it out of use. */
  active: boolean;
  /** What its company wants. */
  leakedKeyPolicy: LeakedKeyPolicy;
  /** Whether it was reported before; where; and whether its key was disabled for that. */
  reported: boolean;
  knownUrls: readonly string[];
  disabledForLeak: boolean;
}

/**
 * Whether the key is enabled once this secret was found at a place (null: none is named); null when there is nothing
 * to do. A known place says nothing new: it does not disable a key that somebody enabled after it was disabled
 * for a leak. A secret out of use is recorded, and does not stop its successor. Contract, section 5.
 */
export function applyLeakReport(secret: LeakedSecret, url: string | null): { enabled: boolean } | null {
  const disables = secret.enabled && secret.active && secret.leakedKeyPolicy === 'disable';
  const isKnown = url === null ? secret.reported : secret.knownUrls.includes(url);
  if (isKnown && (!disables || secret.disabledForLeak)) return null;
  return { enabled: secret.enabled && !disables };
}
