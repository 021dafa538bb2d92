import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../api/client.ts';
import type { Outputs } from '../../api/client.ts';
import { NOBODY } from '../../components/person/member-select.tsx';
import { statusText } from '../../components/status-dot.tsx';
import '../../components/table/data-table.css';
import { useSearch } from '../../components/table/use-search.ts';
import { useSession } from '../../components/use-session.ts';
import { dateIn, dateText, daysBefore, timeText } from '../../dates.ts';
import { Panel } from '../overview/panel.tsx';
import { StackedBar } from '../overview/stacked-bar.tsx';
import type { Framework } from '../frameworks/kinds.ts';
import { FrameworkFrame } from './frame.tsx';
import { MEASURES, applicableOf, changeText, valueText } from './measures.ts';
import type { Numbers } from './measures.ts';
import { RequirementTitle } from '../../components/requirement/title.tsx';

type FrameworkReport = Outputs['framework']['report'];
type Changed = FrameworkReport['better'][number];

/** Days with which the report compares. */
const PERIODS = [30, 90] as const;

/** Two hues, and grey for what nobody assessed. */
const STATUSES = [
  { label: 'met', color: '#2b8a3e', countOf: ({ requirements }: Numbers) => requirements.met },
  { label: 'partly met', color: '#8fcca0', countOf: ({ requirements }: Numbers) => requirements.partlyMet },
  { label: 'not met', color: '#e03131', countOf: ({ requirements }: Numbers) => requirements.notMet },
  { label: 'not assessed', color: '#adb5bd', countOf: ({ requirements }: Numbers) => requirements.notAssessed },
] as const;

/** The requirements that apply, by status. */
function Statuses({ now }: { now: Numbers }) {
  const total = applicableOf(now);
  const { notApplicable } = now.requirements;
  const parts = STATUSES.map(({ label, color, countOf }) => ({ label, color, count: countOf(now) }));
  const texts = parts.map(({ label, count }) => `${count.toLocaleString('en')} ${label}`);
  if (total === 0) return <p className="quiet-text">This framework has no applicable requirements yet.</p>;
  return (
    <>
      <StackedBar parts={parts} total={total} label={`Requirements: ${texts.join(', ')}`} />
      <ul className="report-legend">
        {parts.map(({ label, color }, index) => (
          <li key={label}>
            <span className="report-swatch" style={{ background: color }} aria-hidden /> {texts[index]}
          </li>
        ))}
        {notApplicable > 0 && <li>{notApplicable.toLocaleString('en')} not applicable</li>}
      </ul>
    </>
  );
}

interface NumbersTableProps {
  now: Numbers;
  /** The same numbers at the end of earlier days; null if there were none. */
  earlier: readonly { since: string; before: Numbers | null }[];
}

/** The numbers of today and of earlier days, with their changes. */
const NumbersTable = ({ now, earlier }: NumbersTableProps) => (
  <div className="report-container">
    <table className="data-table report-numbers" aria-label="Numbers">
      <thead>
        <tr>
          <th scope="col">Number</th>
          <th scope="col" className="align-end">
            Now
          </th>
          {earlier.map(({ since }) => (
            <th key={since} scope="col" className="align-end" colSpan={2}>
              {dateText(since)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {MEASURES.map((measure) => (
          <tr key={measure.label}>
            <th scope="row">{measure.label}</th>
            <td className="align-end report-now" data-day="Now">
              {valueText(measure, now)}
            </td>
            {earlier.flatMap(({ since, before }) => [
              <td key={since} className="align-end report-before" data-day={dateText(since)}>
                {before === null ? 'None' : valueText(measure, before)}
              </td>,
              <td key={`${since} change`} className="report-change">
                {before !== null && changeText(measure, before, now)}
              </td>,
            ])}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Requirements whose status changed. */
const ChangedList = ({ changed, empty }: { changed: readonly Changed[]; empty: string }) =>
  changed.length === 0 ? (
    <p className="quiet-text">{empty}</p>
  ) : (
    <ul className="report-changes">
      {changed.map(({ requirement, from, to }) => (
        <li key={requirement.uniqueId}>
          <RequirementTitle requirement={requirement} />
          <span>
            {statusText(from)} → {statusText(to)}
          </span>
        </li>
      ))}
    </ul>
  );

interface OverdueRow {
  key: string;
  name: string;
  count: number;
  /** Filters of their tasks. */
  search: Record<string, string>;
}

/** Who has the overdue tasks. */
const OverdueTable = ({ label, rows }: { label: string; rows: readonly OverdueRow[] }) => (
  <table className="data-table" aria-label={`Overdue tasks by ${label.toLowerCase()}`}>
    <thead>
      <tr>
        <th scope="col">{label}</th>
        <th scope="col" className="align-end">
          Overdue
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, name, count, search }) => (
        <tr key={key}>
          <td>{name}</td>
          <td className="align-end overdue">
            <Link to="/tasks" search={search} aria-label={`${count.toLocaleString('en')} overdue tasks of ${name}`}>
              {count.toLocaleString('en')}
            </Link>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function OverdueWork({ report: { framework, overdueBy } }: { report: FrameworkReport }) {
  const { assignees, departments } = overdueBy;
  const search = { framework: String(framework), due: 'overdue' };
  if (assignees.length === 0) return <p className="quiet-text">No tasks are overdue.</p>;
  return (
    <div className="report-pair">
      <OverdueTable
        label="Person"
        rows={assignees.map(({ assignee, count }) => ({
          key: assignee?.uniqueId ?? NOBODY,
          name: assignee?.name ?? 'Nobody',
          count,
          search: { ...search, assignee: assignee?.uniqueId ?? NOBODY },
        }))}
      />
      <OverdueTable
        label="Department"
        rows={departments.map(({ department, count }) => ({
          key: String(department?.id ?? NOBODY),
          name: department?.name ?? 'No department',
          count,
          search: department === null ? search : { ...search, departmentId: String(department.id) },
        }))}
      />
    </div>
  );
}

const HEIGHT_PX = 120;

/** Where a framework stands, for a board: percentages, what changed, and who has overdue work. It prints on A4. */
export function Report({ framework }: { framework: Framework }) {
  const { company } = useSession();
  const [{ period }, setSearch] = useSearch(['tab', 'period']);
  const days = PERIODS.find((one) => String(one) === period) ?? PERIODS[0];
  const today = dateIn(company.timeZone);
  const optionsOf = (before: number) =>
    trpc.framework.report.queryOptions(
      { framework: framework.id, since: daysBefore(today, before) },
      { placeholderData: keepPreviousData },
    );
  const [short, long] = [useQuery(optionsOf(PERIODS[0])), useQuery(optionsOf(PERIODS[1]))];
  const shown = days === PERIODS[0] ? short.data : long.data;
  const now = short.data?.now;
  const error = short.error ?? long.error;
  const panel = {
    height: HEIGHT_PX,
    isLoading: shown === undefined && error === null,
    error,
    onRetry: () => void Promise.all([short.refetch(), long.refetch()]),
  };
  const since = shown === undefined ? '' : ` since ${dateText(shown.since)}`;
  return (
    <FrameworkFrame framework={framework} part="report">
      <div className="report">
        <Panel title="Requirements" {...panel}>
          {now !== undefined && <Statuses now={now} />}
        </Panel>
        <Panel title="Numbers" {...panel}>
          {now !== undefined && (
            <NumbersTable now={now} earlier={[short.data, long.data].flatMap((report) => report ?? [])} />
          )}
        </Panel>
        <SegmentedControl
          size="xs"
          aria-label="Changes since"
          data={PERIODS.map((one) => ({ value: String(one), label: `Last ${one} days` }))}
          value={String(days)}
          onChange={(value) => setSearch({ period: value === String(PERIODS[0]) ? undefined : value })}
        />
        <div className="report-pair">
          <Panel title={`Got worse${since}`} {...panel}>
            <ChangedList changed={shown?.worse ?? []} empty="No requirements got worse." />
          </Panel>
          <Panel title={`Got better${since}`} {...panel}>
            <ChangedList changed={shown?.better ?? []} empty="No requirements got better." />
          </Panel>
        </div>
        <Panel title="Overdue work" {...panel}>
          {shown !== undefined && <OverdueWork report={shown} />}
        </Panel>
        {shown !== undefined && <p className="quiet-text">As of {timeText(shown.at)}.</p>}
      </div>
    </FrameworkFrame>
  );
}
