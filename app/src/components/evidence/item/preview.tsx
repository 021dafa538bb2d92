import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fetchContent } from '../../../api/client.ts';
import { ErrorMessage } from '../../error-message.tsx';
import { recordQuery } from '../../record/record-page.tsx';
import { sizeText } from '../size.ts';
import type { Evidence } from '../start/evidence.ts';
import { PDF, contentPath, previewType } from './kinds.ts';
import type { PreviewType } from './kinds.ts';
import { NoPreview } from './no-preview.tsx';
import { Pdf } from './pdf.tsx';
import { Picture } from './picture.tsx';

/** Larger files are only downloaded. */
const MAX_PREVIEW_BYTES = 25_000_000;

/** The preview of a picture or a PDF; for other files a sentence with the way to see them. */
export function Preview({ item }: { item: Evidence }) {
  const type = previewType(item);
  if (item.size !== null && item.size > MAX_PREVIEW_BYTES)
    return <NoPreview item={item} text={`Files over ${sizeText(MAX_PREVIEW_BYTES)} have no preview.`} />;
  if (type !== undefined) return <LoadedPreview item={item} type={type} />;
  return item.kind === 'file' ? <NoPreview item={item} text="Files of this kind have no preview." /> : null;
}

/** The bytes as a file with a fixed type, so that a browser never takes them for a page. */
function LoadedPreview({ item, type }: { item: Evidence; type: PreviewType }) {
  const { uniqueId, name } = item;
  const { data, error, refetch } = useQuery({
    queryKey: ['evidence preview', uniqueId],
    queryFn: async () => new Blob([await (await fetchContent(contentPath(item))).arrayBuffer()], { type }),
    ...recordQuery,
  });
  if (error !== null)
    return <ErrorMessage title="The preview could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={240} />;
  return type === PDF ? (
    <Pdf key={uniqueId} file={data} item={item} />
  ) : (
    <Picture key={uniqueId} file={data} name={name} />
  );
}
