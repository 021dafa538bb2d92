import { pageNonce } from '../../../nonce.ts';
import type { DrawnPage } from './pdf-pages.ts';

/**
 * A page with nothing but a picture, for a frame. The picture is a `data:` address of base64, so that its bytes are never read as
 * HTML. A frame that has the picture itself as its document breaks the policy of the page in Chromium, which gives such a document
 * inline styles.
 */
export const framedPicture = async (file: Blob): Promise<Blob> =>
  frameWith('img { display: block; width: 100%; height: 100vh }', [`<img alt="" src="${await dataUrl(file)}">`]);

/** The same with pictures of pages, under one another. */
export async function framedPages(pages: DrawnPage[]): Promise<Blob> {
  const images = await Promise.all(
    pages.map(
      async ({ picture, width, height }, index) =>
        `<img alt="Page ${index + 1}" width="${width}" height="${height}" src="${await dataUrl(picture)}">`,
    ),
  );
  return frameWith(
    'body { background: #ddd } img { display: block; width: 100%; height: auto } img + img { margin-top: 8px }',
    images,
  );
}

const frameWith = (styles: string, images: string[]): Blob =>
  new Blob(
    [
      `<!doctype html><title>Preview</title><style nonce="${pageNonce}">body { margin: 0 } ${styles}</style>`,
      ...images,
    ],
    { type: 'text/html' },
  );

/** Width and height of a picture; undefined if the browser cannot read it. */
export async function sizeOf(file: Blob): Promise<{ width: number; height: number } | undefined> {
  try {
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    picture.close();
    return { width, height };
  } catch {
    return undefined;
  }
}

/** `data:image/png;base64,…` */
function dataUrl(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
  reader.addEventListener('error', () => reject(new Error('The file cannot be read.')));
  reader.readAsDataURL(file);
  return promise;
}
