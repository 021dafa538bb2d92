import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { framedPicture, sizeOf } from './framed-picture.ts';

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
 * A picture in a frame of its own. The frame has a `blob:` address and no permission, so that a file can neither run scripts nor
 * reach the page.
 */
export function Picture({ file, name }: PictureProps) {
  const [shown, setShown] = useState<Shown | 'damaged'>();
  useEffect(() => {
    let url: string | undefined;
    let isCurrent = true;
    void (async () => {
      const size = await sizeOf(file);
      const frame = await framedPicture(file);
      if (!isCurrent) return;
      url = URL.createObjectURL(frame);
      setShown(size === undefined ? 'damaged' : { url, ...size });
    })();
    return () => {
      isCurrent = false;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [file]);
  if (shown === undefined) return <Skeleton h={240} />;
  if (shown === 'damaged')
    return <p className="quiet-text">The browser cannot read this as a picture. Download it to see it.</p>;
  const { url, width, height } = shown;
  return (
    <iframe
      sandbox=""
      src={url}
      title={`Preview of ${name}`}
      className="evidence-picture screen-only"
      style={{ width: Math.min(width, (width * MAX_HEIGHT) / height), aspectRatio: `${width} / ${height}` }}
    />
  );
}
