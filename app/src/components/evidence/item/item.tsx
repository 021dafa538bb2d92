import { ActionIcon, UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconOpen from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import { dateText, timeText } from '../../../dates.ts';
import type { Parent } from '../../timeline/parent.ts';
import { sizeText } from '../size.ts';
import type { Evidence } from '../start/evidence.ts';
import { Validity } from '../validity.tsx';
import { contentPath, hostOf, kindText } from './kinds.ts';
import { Details } from './details.tsx';

interface EvidenceItemProps {
  item: Evidence;
  parent: Parent;
  readOnly: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onDeleted: () => void;
}

/** A piece of evidence in the list. Its name unfolds the preview and the fields. */
export function EvidenceItem({ item, isOpen, onToggle, ...rest }: EvidenceItemProps) {
  const { name, note, date, validUntil, createdAt, createdBy } = item;
  return (
    <li>
      <div className="evidence-row">
        <UnstyledButton className="expander" aria-expanded={isOpen} onClick={onToggle}>
          <IconChevron size={14} aria-hidden />
          <bdi>{name}</bdi>
        </UnstyledButton>
        <SourceLink item={item} />
      </div>
      <div className="evidence-facts">
        <span>
          For <time dateTime={date}>{dateText(date)}</time>
        </span>
        {validUntil !== null && <Validity validUntil={validUntil} />}
        <span>{sourceText(item)}</span>
        <span>
          Added <time dateTime={createdAt}>{timeText(createdAt)}</time> by {createdBy.name}
        </span>
      </div>
      {note !== '' && !isOpen && <p className="evidence-note">{note}</p>}
      {isOpen && <Details item={item} {...rest} />}
    </li>
  );
}

/** "PDF, 1.2 MB", "Link to wiki.example.com" */
function sourceText({ url, mediaType, size }: Evidence): string {
  if (url !== null) return `Link to ${hostOf(url)}`;
  return [kindText(mediaType ?? ''), sizeText(size ?? 0)].join(', ');
}

/** Downloads a file or opens a link. */
const SourceLink = ({ item }: { item: Evidence }) =>
  item.url === null ? (
    <ActionIcon
      component="a"
      variant="subtle"
      color="gray"
      href={contentPath(item)}
      download
      aria-label={`Download ${item.name}`}
    >
      <IconDownload size={16} aria-hidden />
    </ActionIcon>
  ) : (
    <ActionIcon
      component="a"
      variant="subtle"
      color="gray"
      href={item.url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={`Open ${item.name} in a new tab`}
    >
      <IconOpen size={16} aria-hidden />
    </ActionIcon>
  );
