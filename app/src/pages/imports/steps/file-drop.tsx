import { Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import type { DragEvent } from 'react';

interface FileDropProps {
  onChange: (file: File | undefined) => void;
  error: string | undefined;
}

/** A file input onto which a file can be dropped. */
export function FileDrop({ onChange, error }: FileDropProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const { files } = event.dataTransfer;
    if (ref.current !== null && files.length > 0) ref.current.files = files;
    onChange(files[0]);
  };
  return (
    <div
      className="file-drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <TextInput
        ref={ref}
        type="file"
        label="File"
        accept=".csv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.files?.[0])}
      />
      <Text size="xs" c="dimmed" mt={6}>
        Choose one or drop it here: CSV with a header row, or NDJSON. The next step says which column is which field.
      </Text>
    </div>
  );
}
