import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { escapeText } from '../editor/markup.ts';
import { useSession } from '../use-session.ts';
import { isMention } from './comments.ts';
import type { Mention } from './comments.ts';

/** A text that was not sent. */
export interface Draft {
  text: string;
  /** Members whose names the person chose. */
  mentions: readonly Mention[];
  /** X-Request-Id of an attempt to send it, which may have succeeded although no response arrived. */
  requestId?: string | undefined;
}

const EMPTY: Draft = { text: '', mentions: [] };

/** A draft that the browser keeps until it is sent. @param key what the person writes about */
export function useDraft(key: string, initial = EMPTY) {
  const { member } = useSession();
  const [draft, setDraft, removeDraft] = useLocalStorage<Draft>({
    key: `draft-${member}-${key}`,
    defaultValue: initial,
    getInitialValueInEffect: false,
    sync: false,
    deserialize: (text) => readDraft(text) ?? initial,
  });
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  return {
    draft,
    change: (changes: Partial<Draft>) => setDraft((present) => ({ ...present, ...changes })),
    addMention: (mention: Mention) => setDraft((present) => ({ ...present, mentions: [...present.mentions, mention] })),
    /** Ends the draft of a text that was sent. A text that the person changed meanwhile stays. */
    end: (sent: string) => {
      if (latest.current.text === sent) removeDraft();
      else setDraft((present) => ({ ...present, requestId: undefined }));
    },
    /** Drops the draft. */
    remove: removeDraft,
  };
}

function readDraft(stored: string | undefined): Draft | undefined {
  if (stored === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(stored);
    return isDraft(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'text' in value &&
  typeof value.text === 'string' &&
  'mentions' in value &&
  Array.isArray(value.mentions) &&
  value.mentions.every(isMention) &&
  (!('requestId' in value) || typeof value.requestId === 'string');

/** The members of a draft whose names its text has, each once. */
const namedIn = ({ text, mentions }: Draft): Mention[] =>
  mentions.filter(({ name }) => text.includes(`@${escapeText(name)}`));

/**
 * Ids of the members whom a text mentions.
 * @param before the saved comment, which may mention members without their names
 */
export function mentionIds(draft: Draft, before = EMPTY): string[] {
  const named = namedIn(before);
  const others = before.mentions.filter((mention) => !named.includes(mention));
  return [...new Set([...others, ...namedIn(draft)].map(({ uniqueId }) => uniqueId))];
}

export type DraftState = ReturnType<typeof useDraft>;
