import { Button, Group, Skeleton, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { usePrinting, LOAD_MORE_CLASS } from '../../print/printing.ts';
import { ErrorMessage } from '../error-message.tsx';
import type { Parent } from '../timeline/parent.ts';
import { AddEvidence } from './add/add-evidence.tsx';
import { EvidenceItem } from './item/item.tsx';
import { MAX_EVIDENCE, useEvidence } from './start/evidence.ts';
import { Uploads } from './uploads/uploads-part.tsx';
import { useLoadAll } from './use-load-all.ts';
import './evidence.css';

interface EvidenceSectionProps {
  parent: Parent;
  readOnly: boolean;
}

/** Files and links that prove a task or the state of a vendor, newest first. */
export function EvidenceSection({ parent, readOnly }: EvidenceSectionProps) {
  const query = useEvidence(parent);
  const { items, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const heading = useRef<HTMLHeadingElement>(null);
  const [openId, setOpenId] = useState<string>();
  useLoadAll(query, usePrinting());
  const isFull = !hasNextPage && items !== undefined && items.length >= MAX_EVIDENCE;
  return (
    <section aria-labelledby="evidence" className="evidence">
      <div className="evidence-top">
        <Title order={2} id="evidence" ref={heading} tabIndex={-1}>
          Evidence
        </Title>
        {!readOnly && !isFull && <AddEvidence parent={parent} />}
      </div>
      {!readOnly && <Uploads parent={parent} />}
      {isFull && <p className="quiet-text">There are {MAX_EVIDENCE} pieces of evidence. More cannot be attached.</p>}
      {error !== null && (
        <ErrorMessage title="The evidence could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {items === undefined && error === null && <Skeleton h={40} />}
      {items?.length === 0 && (
        <p className="quiet-text">
          {readOnly
            ? 'There is no evidence yet.'
            : 'Files and links that prove the state. Drop files here, or paste a screenshot.'}
        </p>
      )}
      {items !== undefined && items.length > 0 && (
        <ul className="evidence-list">
          {items.map((item) => (
            <EvidenceItem
              key={item.uniqueId}
              item={item}
              parent={parent}
              readOnly={readOnly}
              isOpen={openId === item.uniqueId}
              onToggle={() => setOpenId(openId === item.uniqueId ? undefined : item.uniqueId)}
              onDeleted={() => heading.current?.focus()}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Group>
          <Button
            variant="default"
            className={LOAD_MORE_CLASS}
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Load more evidence
          </Button>
        </Group>
      )}
    </section>
  );
}
