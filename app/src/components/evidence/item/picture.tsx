import { Skeleton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useState } from 'react';

interface PictureProps {
  /** A picture with a type that has no scripts. */
  file: Blob;
  name: string;
}

interface Shown {
  url: string;
  width: number;
  height: number;
}

/** Pixels. Higher pictures are made smaller. */
const MAX_HEIGHT = 480;

/**
 * A picture in a frame of its own. The frame has the `blob:` address of the file and no permission, so that the file can neither
 * run scripts nor reach the page.
 */
export function Picture({ file, name }: PictureProps) {
  const [shown, setShown] = useState<Shown | 'damaged'>();
  const { ref, width: available } = useElementSize();
  useEffect(() => {
    const url = URL.createObjectURL(file);
    let isCurrent = true;
    void sizeOf(file).then((size) => {
      if (isCurrent) setShown(size === undefined ? 'damaged' : { url, ...size });
    });
    return () => {
      isCurrent = false;
      URL.revokeObjectURL(url);
    };
  }, [file]);
  if (shown === 'damaged')
    return <p className="quiet-text">This is not a picture that the browser can read. Download it to see it.</p>;
  return (
    <div ref={ref} className="evidence-preview screen-only">
      {shown === undefined ? (
        <Skeleton h={240} />
      ) : (
        <Frame shown={shown} scale={scaleOf(shown, available)} title={`Preview of ${name}`} />
      )}
    </div>
  );
}

/** Width and height of a picture; undefined if the browser cannot read it. */
async function sizeOf(file: Blob): Promise<{ width: number; height: number } | undefined> {
  try {
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    picture.close();
    return { width, height };
  } catch {
    return undefined;
  }
}

const scaleOf = ({ width, height }: Shown, available: number): number =>
  Math.min(1, MAX_HEIGHT / height, available === 0 ? 1 : available / width);

/** Browsers show a picture in a frame in its own size. The frame has that size, and is scaled. */
const Frame = ({ shown: { url, width, height }, scale, title }: { shown: Shown; scale: number; title: string }) => (
  <div className="evidence-picture" style={{ width: width * scale, height: height * scale }}>
    <iframe sandbox="" src={url} title={title} style={{ width, height, transform: `scale(${scale})` }} />
  </div>
);
