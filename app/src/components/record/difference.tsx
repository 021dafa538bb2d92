import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../upgrade/lazy-part.tsx';
import type { DifferenceProps } from './compared-text.tsx';

const ComparedText = lazyPart(async () => (await import('./compared-text.tsx')).ComparedText);

/** Words that were removed and added between two texts. The comparison loads when one is shown. */
export const Difference = (props: DifferenceProps) => (
  <Suspense fallback={<Skeleton h={20} />}>
    <ComparedText {...props} />
  </Suspense>
);
