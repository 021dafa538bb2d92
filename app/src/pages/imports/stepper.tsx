import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef } from 'react';

const STEPS = ['File', 'Columns', 'Values', 'Check', 'Import'] as const;
export type Step = (typeof STEPS)[number];

/** The steps of an import, and the heading of the present one. It gets the focus when the step changes. */
export function Stepper({ step }: { step: Step }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);
  const position = STEPS.indexOf(step);
  return (
    <>
      <ol className="stepper" aria-label="Steps of the import">
        {STEPS.map((name, index) => (
          <li key={name} aria-current={name === step ? 'step' : undefined} data-done={index < position || undefined}>
            <span aria-hidden>{index < position ? '✓' : index + 1}</span>
            <span>{name}</span>
            {index < position && <VisuallyHidden>, done</VisuallyHidden>}
          </li>
        ))}
      </ol>
      <h3 ref={heading} tabIndex={-1}>
        {step}
      </h3>
    </>
  );
}
