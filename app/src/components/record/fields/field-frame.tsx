import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Field } from '../use-record.ts';
import './fields.css';

type FieldState = Pick<Field<unknown>, 'name' | 'status' | 'error' | 'leave'>;

/** Props of the input of a field: its name and its error. */
export const inputProps = ({ name, error }: FieldState) => ({ name, error, errorProps: { role: 'alert' } });

interface FieldFrameProps {
  field: FieldState;
  children: ReactNode;
  /** A part of the page with another layout. */
  className?: string;
}

/** A field with its quiet "Saved", which takes no space of its own, and a button for a save that failed. */
export const FieldFrame = ({ field: { status, error, leave }, children, className = '' }: FieldFrameProps) => (
  <div className={`field ${className}`}>
    {children}
    <Text size="xs" c="dimmed" role="status" className="field-status">
      {status}
    </Text>
    {error !== undefined && (
      <Button variant="default" size="compact-xs" mt={4} onClick={leave}>
        Try again
      </Button>
    )}
  </div>
);
