import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../../upgrade/lazy-part.tsx';
import type { EvidenceSectionProps } from '../section.tsx';

const EvidenceSection = lazyPart(async () => (await import('../section.tsx')).EvidenceSection);

/** The evidence of a task or vendor. Its code loads after that of the page. */
export const EvidencePart = (props: EvidenceSectionProps) => (
  <Suspense fallback={<Skeleton h={72} />}>
    <EvidenceSection {...props} />
  </Suspense>
);
