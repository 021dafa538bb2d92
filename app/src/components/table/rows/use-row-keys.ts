import { useEffect } from 'react';
import type { RefObject } from 'react';
import { isTyping } from '../../is-typing.ts';

/** `j` and `k` focus the link of the next or the previous row. Enter then opens it. */
export function useRowKeys(bodyRef: RefObject<HTMLTableSectionElement | null>): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (isTyping(event) || (event.key !== 'j' && event.key !== 'k')) return;
      const links = [...(bodyRef.current?.querySelectorAll<HTMLElement>('tr') ?? [])]
        .map((row) => row.querySelector<HTMLElement>('a, button'))
        .filter((link) => link !== null);
      const current = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement) === true);
      const next = current === -1 ? 0 : current + (event.key === 'j' ? 1 : -1);
      const link = links[next];
      link?.focus({ preventScroll: true });
      link?.scrollIntoView({ block: 'nearest' });
    };
    document.addEventListener('keydown', move);
    return () => document.removeEventListener('keydown', move);
  }, [bodyRef]);
}
