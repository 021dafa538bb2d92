import { Button, Center } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { LOAD_MORE_CLASS, usePrinting } from '../../print/printing.ts';

/** Distance to the end of the list at which the next page is loaded. */
const MARGIN = '800px';

/** The end of a list: loads the next page when a person scrolls near it. The button works with the keyboard. */
export function LoadMore({ onLoadMore }: { onLoadMore: () => void }) {
  const ref = useRef<HTMLButtonElement>(null);
  const latest = useRef(onLoadMore);
  useEffect(() => {
    latest.current = onLoadMore;
  });
  const isPrinting = usePrinting();
  useEffect(() => {
    if (isPrinting) latest.current();
  }, [isPrinting]);
  useEffect(() => {
    const button = ref.current;
    if (button === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) latest.current();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(button);
    return () => observer.disconnect();
  }, []);
  return (
    <Center py="md" className={LOAD_MORE_CLASS}>
      <span className="paper-only">The list has more rows. Print it with Ctrl+P, which loads them first.</span>
      <Button ref={ref} variant="subtle" size="xs" onClick={onLoadMore}>
        Load more
      </Button>
    </Center>
  );
}
