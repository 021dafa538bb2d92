import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fetchContent } from '../../../api/client.ts';
import { ErrorMessage } from '../../error-message.tsx';
import { recordQuery } from '../../record/record-page.tsx';
import { sizeText } from '../size.ts';
import type { Evidence } from '../start/evidence.ts';
import { contentPath, isPdf, pictureType } from './kinds.ts';
import type { PictureType } from './kinds.ts';
import { Picture } from './picture.tsx';

/** Chromium and WebKit block their viewers of PDF in a frame with `sandbox`, whatever it permits. */
const PDF_TEXT = 'Browsers show no PDF in a protected frame. Download it to read it.';
/** Larger files are only downloaded. */
const MAX_PREVIEW_BYTES = 25_000_000;

/** The preview of a picture; for other files a sentence with the way to see them. */
export function Preview({ item }: { item: Evidence }) {
  const type = pictureType(item);
  if (item.size !== null && item.size > MAX_PREVIEW_BYTES)
    return <NoPreview item={item} text={`Files over ${sizeText(MAX_PREVIEW_BYTES)} have no preview.`} />;
  if (type !== undefined) return <LoadedPicture item={item} type={type} />;
  if (isPdf(item)) return <NoPreview item={item} text={PDF_TEXT} />;
  return item.kind === 'file' ? <NoPreview item={item} text="Files of this kind have no preview." /> : null;
}

const NoPreview = ({ item, text }: { item: Evidence; text: string }) => (
  <div className="screen-only">
    <p className="quiet-text">{text}</p>
    <Button component="a" variant="default" href={contentPath(item)} download>
      Download file
    </Button>
  </div>
);

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
