import { Button, Group } from '@mantine/core';
import { skipToken } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { client, trpc } from '../../api/client.ts';
import type { Inputs } from '../../api/client.ts';
import { errorDetails } from '../../api/errors.ts';
import { containsText } from '../../components/contains-text.ts';
import { Created } from '../../components/created.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { messageText } from '../../components/error-text.ts';
import { memberFilter, MemberItems, NOBODY } from '../../components/person/member-select.tsx';
import { maySee, useMembers } from '../../components/person/use-members.ts';
import type { Member } from '../../components/person/use-members.ts';
import { nameOf, STATUSES } from '../../components/requirement/choices.ts';
import type { Requirement } from '../../components/requirement/choices.ts';
import { openAssessing, openNewRequirement } from '../../components/requirement/dialogs.tsx';
import { matching, outlineOf, unfolded } from '../../components/requirement/outline.ts';
import type { OutlineRow } from '../../components/requirement/outline.ts';
import { reloadRequirements, useRequirements } from '../../components/requirement/use-requirements.ts';
import type { ListedRequirement } from '../../components/requirement/use-requirements.ts';
import { statusOptions } from '../../components/status-dot.tsx';
import { countText } from '../../components/table/batch.ts';
import type { BatchKind } from '../../components/table/batch.ts';
import { oneOf, searchFilter, severalOf } from '../../components/table/filters.tsx';
import type { Filters } from '../../components/table/filters.tsx';
import { ListBar, useList, usePages } from '../../components/table/list.tsx';
import { sampleOrder } from '../../components/table/sample.tsx';
import type { Sample } from '../../components/table/sample.tsx';
import { ActionMenu, SelectionTable, entryState } from '../../components/table/selection.tsx';
import { fail, say, useHidden } from '../../components/undo/undo.ts';
import { useSession } from '../../components/use-session.ts';
import { useShortcut } from '../../components/use-shortcut.ts';
import { usePrinting } from '../../print/printing.ts';
import type { Framework } from '../frameworks/kinds.ts';
import { FrameworkFrame } from './frame.tsx';
import { outlineColumns } from './outline-columns.tsx';
import type { OutlineItem } from './outline-columns.tsx';

type RequirementQuery = Pick<Inputs['requirement']['list'], 'q' | 'status' | 'owner' | 'work'>;
type RequirementChanges = Pick<Inputs['requirement']['update'], 'ownerId'>;

const UNIT = ['requirement', 'requirements'] as const;

/** Changes of many requirements of a framework. */
const batchOf = (framework: number): BatchKind<OutlineItem, RequirementChanges> => ({
  unit: UNIT,
  nameOf,
  send: async (items) => {
    const { results } = await client.requirement.batch.mutate({ framework, items: [...items] });
    // What a change returns has no place in the outline, and nobody asks for it.
    return { results: results.map(({ item: _item, ...result }) => result) };
  },
  formerOf: ({ owner }) => ({ ownerId: owner?.uniqueId ?? null }),
  reload: reloadRequirements,
});

/** The filters of the outline. @param own uniqueId of the person who reads */
const requirementFilters = (members: readonly Member[], own: string): Filters<RequirementQuery> => ({
  q: searchFilter('Search requirements'),
  status: { ...severalOf('Status', 'Any status', statusOptions(STATUSES)), width: 140 },
  owner: { ...memberFilter('Owner', 'Any owner', { members, own }), width: 150 },
  work: {
    ...oneOf<NonNullable<RequirementQuery['work']>>('Work', 'Any work', [
      { value: 'none', label: 'No tasks' },
      { value: 'open', label: 'Open tasks' },
      { value: 'overdue', label: 'Overdue tasks' },
    ]),
    width: 130,
  },
});

/** True for a requirement that the filters show. The outline is here as a whole, so that each letter filters at once. */
function isShown(item: ListedRequirement, { q = '', status, owner, work }: RequirementQuery): boolean {
  const { open, overdue, closed } = item.tasks ?? { open: 0, overdue: 0, closed: 0 };
  const isWorked = { none: open + closed === 0, open: open > 0, overdue: overdue > 0 };
  return (
    containsText(nameOf(item), q) &&
    (status === undefined || (item.status !== null && status.split(',').includes(item.status))) &&
    (owner === undefined || owner.split(',').includes(item.owner?.uniqueId ?? NOBODY)) &&
    (work === undefined || (item.assessable && isWorked[work]))
  );
}

/** A row of the outline as the table takes it. @param mayFold false while a filter shows what it found */
const toOutlineItem = ({ item, level, children }: OutlineRow<ListedRequirement>, mayFold: boolean): OutlineItem => ({
  ...item,
  level,
  folds: children > 0 && mayFold,
});

const NOTHING: ReadonlySet<string> = new Set();

/** What is folded on this visit. "Back" finds it again. */
const useFolded = entryState(NOTHING);

/** Requirements that are assessed at the same time. */
const AT_ONCE = 10;

/** Assesses the selected requirements, each with the same result and note. */
function openAssessingAll(rows: readonly OutlineItem[]): void {
  const assessed = rows.filter(({ assessable, applicable }) => assessable && applicable);
  const [only] = assessed;
  openAssessing({
    what: assessed.length === 1 && only !== undefined ? nameOf(only) : countText(UNIT, assessed.length),
    current: null,
    canWithdraw: assessed.some(({ assessment }) => assessment !== null),
    onAssess: async (given) => {
      const reasons: string[] = [];
      const assess = async (row: OutlineItem) => {
        try {
          await client.requirement.assess.mutate({ ...given, requirement: row.uniqueId });
        } catch (error) {
          reasons.push(`${nameOf(row)}: ${messageText(errorDetails(error).message)}`);
        }
      };
      for (let start = 0; start < assessed.length; start += AT_ONCE)
        // oxlint-disable-next-line no-await-in-loop -- a few at a time
        await Promise.all(assessed.slice(start, start + AT_ONCE).map(assess));
      await reloadRequirements();
      if (reasons.length < assessed.length) say(`${countText(UNIT, assessed.length - reasons.length)} assessed.`);
      if (reasons.length > 0) fail({ title: `${countText(UNIT, reasons.length)} could not be assessed`, reasons });
    },
  });
}

interface RequirementActionsProps {
  rows: readonly OutlineItem[];
  framework: number;
  isBusy: boolean;
  onUpdate: (changes: RequirementChanges) => void;
}

/** Changes of the selected requirements. */
function RequirementActions({ rows, framework, isBusy, onUpdate }: RequirementActionsProps) {
  const { members } = useMembers();
  const isAssessable = rows.some(({ assessable, applicable }) => assessable && applicable);
  return (
    <>
      {isAssessable && (
        <Button variant="default" disabled={isBusy} onClick={() => openAssessingAll(rows)}>
          Assess
        </Button>
      )}
      <ActionMenu label="Set owner" disabled={isBusy}>
        <MemberItems
          members={members.filter((member) => maySee(member, framework))}
          onChoose={(ownerId) => onUpdate({ ownerId })}
        />
      </ActionMenu>
    </>
  );
}

/** Rows that are loaded at a time. */
const PAGE_SIZE = 100;

/** The requirements of a sample, in its order; nothing without one. */
function useSampled(filters: RequirementQuery & { framework: number }, sample: Sample | undefined) {
  const query = { ...filters, ...sampleOrder(sample), limit: PAGE_SIZE };
  return usePages<OutlineItem>(
    trpc.requirement.list.queryKey(query),
    sample === undefined
      ? skipToken
      : async (position, options) => {
          const page = await client.requirement.list.query({ ...query, ...position }, options);
          return { ...page, items: page.items.map((item) => toOutlineItem({ item, level: 0, children: 0 }, false)) };
        },
    sample?.count,
  );
}

/** The outline of a framework: headings that fold, and its requirements with status, owner, tasks and evidence. */
export function Requirements({ framework }: { framework: Framework }) {
  const { id } = framework;
  const { canWrite, isAdmin, member: own } = useSession();
  const { members } = useMembers();
  const [created, setCreated] = useState<Requirement>();
  const [folded, setFolded] = useFolded();
  const { data, error, refetch } = useRequirements(id);
  const hidden = useHidden();
  const isPrinting = usePrinting();
  const fold = (uniqueId: string, isFolded: boolean) => {
    const next = new Set(folded);
    if (isFolded) next.add(uniqueId);
    else next.delete(uniqueId);
    setFolded(next);
  };
  const list = useList({
    name: 'requirements',
    unit: UNIT,
    columns: outlineColumns(members, { folded, fold }),
    filters: requirementFilters(members, own),
    hasSamples: true,
    parameters: ['tab'],
  });
  const { sample } = list;
  const sampled = useSampled({ ...list.query, framework: id }, sample);
  const outline = useMemo(
    () => data && outlineOf(data.filter(({ uniqueId }) => !hidden.has(uniqueId))),
    [data, hidden],
  );
  const isFiltered = list.set.length > 0;
  // What a filter finds is never folded away, and paper has all.
  const placed =
    outline &&
    (isFiltered
      ? matching(outline, (item) => isShown(item, list.query))
      : unfolded(outline, isPrinting ? NOTHING : folded));
  const inOutline = placed?.map((row) => toOutlineItem(row, !isFiltered));
  const headings = outline?.filter(({ children }) => children > 0) ?? [];
  const isAllFolded = headings.length > 0 && headings.every(({ item }) => folded.has(item.uniqueId));
  const found = isFiltered ? inOutline?.filter((row) => isShown(row, list.query)) : inOutline;
  const outlinePages = {
    rows: inOutline,
    total: isFiltered ? found?.length : outline?.length,
    loadMore: undefined,
    loadNext: undefined,
    loadAll: async () => inOutline ?? [],
  };
  const pages =
    sample === undefined
      ? outlinePages
      : { ...sampled, total: sampled.rows && found && Math.min(found.length, sample.count) };
  const { rows, total } = pages;
  const failure = sample === undefined ? error : sampled.error;
  const canCreate = canWrite && framework.archivedAt === null;
  const create = () => openNewRequirement(id, setCreated);
  useShortcut('c', () => canCreate && create());
  const newRequirement = canCreate && <Button onClick={create}>New requirement</Button>;
  const importLink = canCreate && (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/imports" search={{ kind: 'requirement', framework: String(id) }} {...props} />}
    >
      Import
    </Button>
  );
  const isEmpty = outline?.length === 0 && !isFiltered;
  return (
    <FrameworkFrame
      framework={framework}
      part="requirements"
      action={
        !isEmpty && (
          <>
            {importLink}
            {newRequirement}
          </>
        )
      }
    >
      <ListBar list={list} total={total} matching={found?.length}>
        {headings.length > 0 && !isFiltered && sample === undefined && (
          <Button
            variant="subtle"
            size="xs"
            onClick={() => setFolded(new Set(isAllFolded ? [] : headings.map(({ item }) => item.uniqueId)))}
          >
            {isAllFolded ? 'Unfold all' : 'Fold all'}
          </Button>
        )}
      </ListBar>
      {created !== undefined && <Created what="requirement" path={`/requirements/${created.uniqueId}`} />}
      {failure !== null && (
        <ErrorMessage
          title="The requirements could not be loaded"
          error={failure}
          onRetry={() => void (sample === undefined ? refetch() : sampled.refetch())}
        />
      )}
      {(failure === null || rows !== undefined) && (
        <SelectionTable
          label="Requirements"
          kind={batchOf(id)}
          pages={pages}
          followed={sample === undefined ? found : undefined}
          table={list.table}
          canDelete={isAdmin}
          actions={(selected, onUpdate, isBusy) => (
            <RequirementActions rows={selected} framework={id} isBusy={isBusy} onUpdate={onUpdate} />
          )}
          empty={
            isFiltered ? (
              <EmptyState text="No requirements match these filters." />
            ) : (
              <EmptyState
                text="Requirements are the controls, criteria or articles of a framework. Link tasks to them to show what you do about each one."
                action={
                  <Group gap="xs">
                    {newRequirement}
                    {importLink}
                  </Group>
                }
              />
            )
          }
        />
      )}
    </FrameworkFrame>
  );
}
