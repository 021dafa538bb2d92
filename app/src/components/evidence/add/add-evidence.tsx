import { Button } from '@mantine/core';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconFile from '@tabler/icons-react/dist/esm/icons/IconPaperclip.mjs';
import { useRef, useState } from 'react';
import type { Parent } from '../../timeline/parent.ts';
import { useIncoming } from './incoming.ts';
import { AttachDialog } from './attach-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';

/** Files or a link that a person is about to attach. */
type Chosen = { files: readonly File[]; isPasted: boolean } | { url: string };

/** The buttons that attach files and links. Files can be dropped onto the page or pasted too. */
export function AddEvidence({ parent }: { parent: Parent }) {
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<Chosen>();
  const onFiles = (files: readonly File[], isPasted: boolean) => {
    if (files.length > 0) setChosen({ files, isPasted });
  };
  const isOver = useIncoming({ onFiles, onLink: (url) => setChosen({ url }) });
  const close = () => setChosen(undefined);
  return (
    <>
      <div className="evidence-buttons screen-only">
        <Button
          variant="default"
          leftSection={<IconFile size={14} aria-hidden />}
          onClick={() => input.current?.click()}
        >
          Attach file
        </Button>
        <Button
          variant="default"
          leftSection={<IconLink size={14} aria-hidden />}
          onClick={() => setChosen({ url: '' })}
        >
          Add link
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files"
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])], false);
            currentTarget.value = '';
          }}
        />
      </div>
      {isOver && <div className="evidence-over">Drop to attach</div>}
      {chosen !== undefined && 'files' in chosen && <AttachDialog parent={parent} {...chosen} onClose={close} />}
      {chosen !== undefined && 'url' in chosen && <LinkDialog parent={parent} {...chosen} onClose={close} />}
    </>
  );
}
