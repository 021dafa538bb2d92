import type { ReactNode } from 'react';
import './section.css';

/** A list of names and values. Values that are undefined are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode | undefined])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
