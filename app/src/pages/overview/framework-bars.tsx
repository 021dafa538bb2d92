import { SERIES, totalOf } from './series.ts';
import type { FrameworkTasks } from './series.ts';
import { StackedBar } from './stacked-bar.tsx';

/** Done tasks come first, open ones last. */
const ORDER = [...SERIES.slice(1), ...SERIES.slice(0, 1)];

/** Numbers of today: one bar for each framework, with its parts in words. */
export const FrameworkBars = ({ rows }: { rows: readonly FrameworkTasks[] }) => (
  <ul className="panel-list framework-bars">
    {rows.map((row) => {
      const parts = ORDER.map(({ name, color, today }) => ({ name, color, count: today(row) }));
      const { id, name } = row.framework;
      const words = parts.map((part) => `${part.count.toLocaleString('en')} ${part.name.toLowerCase()}`);
      return (
        <li key={id}>
          <b>{name}</b>
          <StackedBar parts={parts} total={totalOf(row)} label={`${name}: ${words.join(', ')}`} />
          <span className="bar-labels">
            {parts.map((part, index) => (
              <span key={part.name}>
                <i style={{ background: part.color }} />
                {words[index]}
              </span>
            ))}
          </span>
        </li>
      );
    })}
  </ul>
);
