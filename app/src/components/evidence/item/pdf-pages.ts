import { GlobalWorkerOptions, PasswordException, VerbosityLevel, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
// oxlint-disable-next-line import/default -- the build replaces the module by its address
import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { pdfResources } from './pdf-resources.ts';

/** A page as a PNG picture, with its size in pixels. */
export interface DrawnPage {
  picture: Blob;
  width: number;
  height: number;
}

interface Drawn {
  /** At least one. */
  pages: DrawnPage[];
  pageCount: number;
  /** False if a page needs data that the application does not have, such as tables of Asian encodings. */
  isComplete: boolean;
}

const MAX_PAGES = 20;
/** Pages are not drawn beyond it. */
const MAX_MS = 30_000;
/** Bytes of all pictures together. */
const MAX_PICTURE_BYTES = 30_000_000;
/** Pixels of a page: 8 MB while it is drawn. An A4 page in a frame of 800 pixels then has 1.5 pixels for each. */
const MAX_PIXELS = 2_000_000;
/** Pixels. Browsers limit the sides of a canvas. */
const MAX_SIDE = 8192;
/** Larger pictures in a page are left out. A3 with 600 dots for each inch has 70,000,000 pixels. */
const MAX_IMAGE_PIXELS = 100_000_000;
/** Time in which the worker may end by itself. */
const MAX_CLOSE_MS = 1000;

/**
 * Draws the first pages of a PDF. A worker of its own parses the file, so that the page stays quick, and a file that takes too long
 * or breaks the parser ends with its worker. The library has the bytes and loads nothing; scripts in the file never run.
 * @param width pixels of the place for a page, on the screen
 * @returns "locked" for a file with a password, "damaged" if no page can be drawn
 */
export async function drawPages(file: Blob, width: number, signal: AbortSignal): Promise<Drawn | 'locked' | 'damaged'> {
  const data = new Uint8Array(await file.arrayBuffer());
  const drawn: Drawn = { pages: [], pageCount: 0, isComplete: true };
  const port = new Worker(workerUrl, { type: 'module' });
  // The library reads it in the next call. Without it, a worker that does not start makes the library parse in the page.
  GlobalWorkerOptions.workerPort = port;
  const task = getDocument({
    data,
    verbosity: VerbosityLevel.ERRORS,
    BinaryDataFactory: pdfResources(() => (drawn.isComplete = false)),
    useWorkerFetch: false,
    useSystemFonts: true,
    disableWorkerRendering: true,
    maxImageSize: MAX_IMAGE_PIXELS,
  });
  try {
    await Promise.race([addPages(task.promise, drawn, width), failure(port, signal)]);
  } catch (error) {
    if (error instanceof PasswordException) return 'locked';
  } finally {
    await Promise.race([task.destroy(), later(MAX_CLOSE_MS)]);
    port.terminate();
  }
  return drawn.pages.length === 0 ? 'damaged' : drawn;
}

async function addPages(loading: Promise<PDFDocumentProxy>, drawn: Drawn, width: number): Promise<void> {
  const pdf = await loading;
  drawn.pageCount = pdf.numPages;
  let bytes = 0;
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES) && bytes < MAX_PICTURE_BYTES; number += 1) {
    const page = await draw(await pdf.getPage(number), width);
    bytes += page.picture.size;
    drawn.pages.push(page);
  }
}

async function draw(page: PDFPageProxy, maxWidth: number): Promise<DrawnPage> {
  const size = page.getViewport({ scale: 1 });
  const maxScale = Math.sqrt(MAX_PIXELS / (size.width * size.height));
  const scale = Math.min(maxWidth / size.width, MAX_SIDE / size.height, maxScale);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(size.width * scale));
  canvas.height = Math.max(1, Math.floor(size.height * scale));
  const { width, height } = canvas;
  try {
    await page.render({ canvas, viewport: page.getViewport({ scale }) }).promise;
    return { picture: await pictureOf(canvas), width, height };
  } finally {
    page.cleanup();
    // Browsers keep the memory of a canvas for a while unless it is empty.
    canvas.width = 0;
  }
}

function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>();
  canvas.toBlob((picture) => (picture === null ? reject(new Error('The page is too large.')) : resolve(picture)));
  return promise;
}

/** Rejects when the preview is closed, when the time is over, and when the worker does not start. */
function failure(port: Worker, signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  const stop = () => reject(new Error('The preview has ended.'));
  if (end.aborted) stop();
  end.addEventListener('abort', stop);
  port.addEventListener('error', () => reject(new Error('The worker has failed.')));
  return promise;
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
