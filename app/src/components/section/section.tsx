import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { ReactNode } from 'react';
import './section.css';

interface SectionProps {
  title: string;
  /** One or two sentences. */
  text?: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

/** A part of a page with a heading. */
export function Section({ title, text, action, children }: SectionProps) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-top">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {text !== undefined && (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}
