import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Evidence } from '../evidence.ts';
import { framedPages } from './framed-picture.ts';
import { NoPreview } from './no-preview.tsx';

interface Shown {
  url: string;
  /** Width and height of the first page. */
  aspectRatio: string;
  /** Sentences about parts that the frame does not show. */
  missing: string[];
}

const TEXTS = {
  locked: 'This PDF has a password. Download it to read it.',
  damaged: 'The browser cannot read this as a PDF. Download it to see it.',
};

/** Pixels. Wider frames are not wider than it; `evidence.css` has the same. */
const MAX_WIDTH = 800;
const MAX_PIXEL_RATIO = 2;

/**
 * The pages of a PDF as pictures, in a frame like that of a picture. Chromium and WebKit block their own viewers of PDF in a frame
 * with `sandbox`, whatever it permits.
 */
export function Pdf({ file, item }: { file: Blob; item: Evidence }) {
  const [shown, setShown] = useState<Shown | keyof typeof TEXTS>();
  useEffect(() => {
    const closed = new AbortController();
    let url: string | undefined;
    void (async () => {
      const result = await framedPdf(file, closed.signal);
      if (closed.signal.aborted) return;
      if (typeof result === 'string') return setShown(result);
      const { frame, ...rest } = result;
      url = URL.createObjectURL(frame);
      setShown({ url, ...rest });
    })();
    return () => {
      closed.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [file]);
  if (shown === undefined) return <Skeleton h={240} />;
  if (typeof shown === 'string') return <NoPreview item={item} text={TEXTS[shown]} />;
  const { url, aspectRatio, missing } = shown;
  return (
    <div className="screen-only">
      <iframe
        sandbox=""
        src={url}
        title={`Preview of ${item.name}`}
        className="evidence-picture evidence-pages"
        style={{ aspectRatio }}
      />
      {missing.map((text) => (
        <p key={text} className="quiet-text">
          {text}
        </p>
      ))}
    </div>
  );
}

/** The library loads here, for the first PDF that is opened. */
async function framedPdf(file: Blob, signal: AbortSignal) {
  try {
    const { drawPages } = await import('./pdf-pages.ts');
    const width = Math.min(MAX_WIDTH, window.innerWidth) * Math.min(window.devicePixelRatio, MAX_PIXEL_RATIO);
    const drawn = await drawPages(file, width, signal);
    if (typeof drawn === 'string') return drawn;
    const { pages, pageCount, isComplete } = drawn;
    const missing = [];
    if (pages.length < pageCount)
      missing.push(`${pages.length} of ${pageCount} pages; download the file for the rest.`);
    if (!isComplete) missing.push('Some text or pictures may be missing; download the file to see all of it.');
    return { frame: await framedPages(pages), aspectRatio: `${pages[0]?.width} / ${pages[0]?.height}`, missing };
  } catch {
    return 'damaged';
  }
}
