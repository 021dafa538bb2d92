import { Button } from '@mantine/core';
import type { Evidence } from '../evidence.ts';
import { contentPath } from './kinds.ts';

/** A sentence in place of a preview, and the way to see the file. */
export const NoPreview = ({ item, text }: { item: Evidence; text: string }) => (
  <div className="screen-only">
    <p className="quiet-text">{text}</p>
    <Button component="a" variant="default" href={contentPath(item)} download>
      Download file
    </Button>
  </div>
);
