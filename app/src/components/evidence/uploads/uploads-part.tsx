import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Parent } from '../../timeline/parent.ts';
import { useUploads } from './uploads.ts';
import { UploadList } from './upload-list.tsx';

/** The uploads to a task or vendor. Screen readers hear of those that have ended. */
export function Uploads({ parent }: { parent: Parent }) {
  const uploads = useUploads(parent);
  const before = useRef(uploads);
  const [attached, setAttached] = useState('');
  useEffect(() => {
    const keys = new Set(uploads.map(({ key }) => key));
    const ended = before.current.filter(({ key, isAttached }) => isAttached && !keys.has(key));
    before.current = uploads;
    if (ended.length > 0) setAttached(`Attached ${ended.map(({ fields }) => fields.name).join(', ')}.`);
  }, [uploads]);
  return (
    <>
      <VisuallyHidden role="status">{attached}</VisuallyHidden>
      {uploads.length > 0 && <UploadList uploads={uploads} />}
    </>
  );
}
