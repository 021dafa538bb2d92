import { Skeleton } from '@mantine/core';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import './overview.css';

interface PanelProps {
  title: string;
  /** A button or a link beside the title. */
  action?: ReactNode;
  /** Height in pixels of the content while it loads. */
  height: number;
  isLoading: boolean;
  error?: unknown;
  onRetry?: () => void;
  className?: string;
  children: ReactNode;
}

/** A part of the overview. It keeps its size while it loads. */
export function Panel({ title, action, height, isLoading, error, onRetry, className = '', children }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id} aria-busy={isLoading}>
      <div className="panel-top">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {content()}
    </section>
  );

  function content() {
    if (isLoading) return <Skeleton height={height} />;
    if (error !== undefined && error !== null)
      return <ErrorMessage title="This part could not be loaded" error={error} {...(onRetry && { onRetry })} />;
    return children;
  }
}
