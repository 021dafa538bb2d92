import type { Evidence } from '../evidence.ts';

export const PDF = 'application/pdf';
/**
 * Types that have a preview. A preview has one of these types, whatever its bytes are. SVG and HTML are not among them, because
 * they can have scripts.
 */
const PREVIEWS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', PDF] as const;

export type PreviewType = (typeof PREVIEWS)[number];

/** A media type without its parameters. */
const essenceOf = (mediaType: string): string => mediaType.split(';', 1).join('').trim().toLowerCase();

/** The type of a file that can be shown; undefined for other files and links. */
export const previewType = ({ mediaType }: Pick<Evidence, 'mediaType'>): PreviewType | undefined =>
  mediaType === null ? undefined : PREVIEWS.find((type) => type === essenceOf(mediaType));

/** Media types as people read them. */
const KINDS: Readonly<Record<string, string>> = {
  [PDF]: 'PDF',
  'image/png': 'PNG picture',
  'image/jpeg': 'JPEG picture',
  'image/gif': 'GIF picture',
  'image/webp': 'WebP picture',
  'image/svg+xml': 'SVG picture',
  'text/plain': 'Text',
  'text/csv': 'CSV',
  'text/html': 'HTML',
  'application/json': 'JSON',
  'application/zip': 'ZIP archive',
  'application/msword': 'Word document',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document',
  'application/vnd.ms-excel': 'Excel table',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel table',
  'application/octet-stream': 'File',
};

/** The kind of a file as people read it: "PDF". */
export const kindText = (mediaType: string): string => KINDS[essenceOf(mediaType)] ?? essenceOf(mediaType);

/** Host of a link. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Address of the file of a piece of evidence. */
export const contentPath = ({ uniqueId }: Pick<Evidence, 'uniqueId'>): string =>
  `/session/evidence/${uniqueId}/content`;
