import { Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import './file-drop.css';

interface FileDropProps {
  label: string;
  /** Value of the attribute `accept`. */
  accept: string;
  file: File | undefined;
  onChange: (file: File | undefined) => void;
  error?: string | undefined;
  /** Sentences below the input. */
  children: ReactNode;
}

/** A file input onto which a file can be dropped. */
export function FileDrop({ label, accept, file, onChange, error, children }: FileDropProps) {
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
        label={label}
        accept={accept}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.files?.[0])}
      />
      <Text size="xs" c="dimmed" mt={6}>
        {children}
      </Text>
    </div>
  );
}
