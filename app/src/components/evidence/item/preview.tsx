import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fetchContent } from '../../../api/client.ts';
import { ErrorMessage } from '../../error-message.tsx';
import { recordQuery } from '../../record/record-page.tsx';
import { sizeText } from '../size.ts';
import type { Evidence } from '../start/evidence.ts';
import { contentPath, isPdf, pictureType } from './kinds.ts';
import type { PictureType } from './kinds.ts';
import { Picture } from './picture.tsx';

/** Larger files are only downloaded. */
const MAX_PREVIEW_BYTES = 25_000_000;

/** The preview of a picture; for other files a sentence with the way to see them. */
export function Preview({ item }: { item: Evidence }) {
  const type = pictureType(item);
  if (item.size !== null && item.size > MAX_PREVIEW_BYTES)
    return <NoPreview text={`Files over ${sizeText(MAX_PREVIEW_BYTES)} have no preview.`} />;
  if (type !== undefined) return <LoadedPicture item={item} type={type} />;
  if (isPdf(item)) return <NoPreview text="Browsers do not show PDF files inside of a protected page." />;
  return item.kind === 'file' ? <NoPreview text="Files of this kind have no preview." /> : null;
}

const NoPreview = ({ text }: { text: string }) => <p className="quiet-text">{text} Download it to see it.</p>;

/** The bytes as a file with a fixed type, so that a browser never takes them for a page. */
function LoadedPicture({ item, type }: { item: Evidence; type: PictureType }) {
  const { uniqueId, name } = item;
  const { data, error, refetch } = useQuery({
    queryKey: ['evidence preview', uniqueId],
    queryFn: async () => new Blob([await (await fetchContent(contentPath(item))).arrayBuffer()], { type }),
    ...recordQuery,
  });
  if (error !== null)
    return <ErrorMessage title="The preview could not be loaded" error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton h={240} /> : <Picture key={uniqueId} file={data} name={name} />;
}
