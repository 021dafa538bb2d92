import type { LeakedKeys } from './company.ts';

/** A secret that was found in public, and what is known of it. */
export interface LeakedSecret {
  /** Of its key. */
  enabled: boolean;
  /** Whether it opens anything while its key does: not once a rotation has put it out of use. */
  works: boolean;
  /** What its company wants. */
  leakedKeys: LeakedKeys;
  /** Whether it was reported before; where; and whether its key was disabled for that. */
  reported: boolean;
  places: readonly string[];
  stopped: boolean;
}

/**
 * Whether the key is enabled once this secret was found at a place (null: none is named); null when there is nothing
 * to do. A known place says nothing new: it does not disable a key that somebody enabled after it was disabled
 * for a leak. A secret out of use is recorded, and does not stop its successor. Contract, section 5.
 */
export function afterLeak(secret: LeakedSecret, url: string | null): { enabled: boolean } | null {
  const stops = secret.enabled && secret.works && secret.leakedKeys === 'disable';
  const isKnown = url === null ? secret.reported : secret.places.includes(url);
  if (isKnown && (!stops || secret.stopped)) return null;
  return { enabled: secret.enabled && !stops };
}
