import { UnstyledButton } from '@mantine/core';
import IconChevron from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { KeyboardEvent } from 'react';
import { countColumn } from '../../components/evidence/list.tsx';
import { Person } from '../../components/person/person.tsx';
import { nameIn } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { nameOf } from '../../components/requirement/choices.ts';
import type { ListedRequirement } from '../../components/requirement/use-requirements.ts';
import { StatusDot } from '../../components/status-dot.tsx';
import type { Column } from '../../components/table/data-table.tsx';

/** A requirement as a row of the outline. */
export interface OutlineItem extends ListedRequirement {
  /** 0 at the top. */
  level: number;
  /** True if requirements are below it, which fold. */
  folds: boolean;
}

/** What is folded, and how a person changes that. */
export interface Folding {
  folded: ReadonlySet<string>;
  fold: (uniqueId: string, isFolded: boolean) => void;
}

const INDENT_PX = 20;

/** The title of a requirement, at its level of the outline. The arrow keys fold and unfold it. */
function OutlineTitle({ row, folding: { folded, fold } }: { row: OutlineItem; folding: Folding }) {
  const { uniqueId, ref, title, level, folds, assessable } = row;
  const isFolded = folded.has(uniqueId);
  const handleKey = ({ key }: KeyboardEvent) => {
    if (folds && (key === 'ArrowLeft' || key === 'ArrowRight')) fold(uniqueId, key === 'ArrowLeft');
  };
  return (
    <span className="outline-title" style={{ paddingInlineStart: level * INDENT_PX }}>
      {folds ? (
        <UnstyledButton
          className="expander"
          aria-expanded={!isFolded}
          aria-label={`Requirements below ${ref}`}
          onClick={() => fold(uniqueId, !isFolded)}
        >
          <IconChevron size={14} aria-hidden />
        </UnstyledButton>
      ) : (
        <span className="outline-gap" />
      )}
      <Link
        to="/requirements/$uniqueId"
        params={{ uniqueId }}
        title={nameOf(row)}
        className={assessable ? undefined : 'outline-heading'}
        onKeyDown={handleKey}
      >
        <span className="outline-ref">{ref}</span> <bdi>{title}</bdi>
      </Link>
    </span>
  );
}

/** The linked tasks in numbers: "1 overdue, 3 open, 5 closed". They lead to the list of tasks. */
function TaskCounts({ row: { uniqueId, ref, tasks, assessable } }: { row: ListedRequirement }) {
  if (!assessable || tasks === null) return null;
  const { open, overdue, closed } = tasks;
  const counts = [
    { count: overdue, word: 'overdue' },
    { count: open - overdue, word: 'open' },
    { count: closed, word: 'closed' },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return <span className="none">None</span>;
  return (
    <Link to="/tasks" search={{ requirement: uniqueId }} aria-label={`Tasks of ${ref}: ${countsText(counts)}`}>
      {counts.map(({ count, word }, index) => (
        <Fragment key={word}>
          {index > 0 && ', '}
          <span className={word === 'overdue' ? 'overdue' : undefined}>
            {count.toLocaleString('en')} {word}
          </span>
        </Fragment>
      ))}
    </Link>
  );
}

const countsText = (counts: readonly { count: number; word: string }[]) =>
  counts.map(({ count, word }) => `${count.toLocaleString('en')} ${word}`).join(', ');

/** The columns of the outline. */
export const outlineColumns = (members: readonly Member[], folding: Folding): readonly Column<OutlineItem>[] => [
  {
    id: 'title',
    header: 'Requirement',
    className: 'title',
    render: (row) => <OutlineTitle row={row} folding={folding} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: 140,
    leaves: 9,
    line: 1,
    render: ({ status }) => status !== null && <StatusDot status={status} />,
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 150,
    leaves: 7,
    line: 2,
    render: ({ owner }) => owner !== null && <Person name={owner.name} label={nameIn(members, owner)} />,
  },
  {
    id: 'tasks',
    header: 'Tasks',
    width: 190,
    leaves: 8,
    line: 3,
    render: (row) => <TaskCounts row={row} />,
  },
  countColumn(6, ({ evidenceCount, assessable }) => (assessable ? evidenceCount : undefined)),
];
