import { Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { DragEvent } from 'react';

interface FileDropProps {
  file: File | undefined;
  onChange: (file: File | undefined) => void;
  error: string | undefined;
}

/** A file input onto which a file can be dropped. */
export function FileDrop({ file, onChange, error }: FileDropProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  // The input has no file if it was dropped, or chosen before another step was shown.
  useEffect(() => {
    if (ref.current === null || file === undefined || ref.current.files?.[0] === file) return;
    const transfer = new DataTransfer();
    transfer.items.add(file);
    ref.current.files = transfer.files;
  }, [file]);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    onChange(event.dataTransfer.files[0]);
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
