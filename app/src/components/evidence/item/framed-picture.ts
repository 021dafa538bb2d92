import { pageNonce } from '../../../nonce.ts';

/**
 * A page with nothing but a picture, for a frame. The picture is a `data:` address of base64, so that its bytes are never read as
 * HTML. A frame that has the picture itself as its document breaks the policy of the page in Chromium, which gives such a document
 * inline styles.
 */
export async function framedPicture(file: Blob): Promise<Blob> {
  const style = `<style nonce="${pageNonce}">body { margin: 0 } img { display: block; width: 100%; height: 100vh }</style>`;
  return new Blob([`<!doctype html><title>Preview</title>${style}<img alt="" src="${await dataUrl(file)}">`], {
    type: 'text/html',
  });
}

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
