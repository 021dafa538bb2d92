import { Link } from '@tanstack/react-router';
import type { Outputs } from '../../api/client.ts';
import { countColumn } from '../../components/evidence/start/count-column.tsx';
import { Level } from '../../components/level.tsx';
import { Person } from '../../components/person/person.tsx';
import type { Column } from '../../components/table/data-table.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Time } from '../../components/time.tsx';
import { criticalityText } from '../../components/vendor/choices.ts';
import { NearDate, reviewWords } from '../../components/vendor/near-date.tsx';

/** A vendor of the list, which has all its fields. */
export type ListedVendor = Extract<Outputs['vendor']['page']['items'][number], { nextReview: unknown }>;

/** Columns of the vendors. @param isByReview keeps the next review in a narrow table, in place of the status */
export const columnsOf = (isByReview: boolean): readonly Column<ListedVendor>[] => [
  {
    id: 'name',
    header: 'Name',
    className: 'title',
    sorts: ['name'],
    render: ({ uniqueId, name }) => (
      <Link to="/vendors/$uniqueId" params={{ uniqueId }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'criticality',
    header: 'Criticality',
    width: 110,
    leaves: 5,
    sorts: ['criticality'],
    render: ({ criticality }) =>
      criticality !== null && <Level level={criticality} label={criticalityText(criticality)} />,
  },
  {
    id: 'owner',
    header: 'Owner',
    width: 150,
    leaves: 4,
    render: ({ owner }) => owner !== null && <Person name={owner.name} />,
  },
  {
    id: 'nextReview',
    header: 'Next review',
    width: 160,
    ...(isByReview ? {} : { leaves: 6 }),
    sorts: ['nextReview'],
    render: (vendor) => vendor.nextReview !== null && <NearDate value={vendor.nextReview} near={reviewWords(vendor)} />,
  },
  {
    id: 'status',
    header: 'Status',
    width: 120,
    ...(isByReview ? { leaves: 3 } : {}),
    render: ({ status }) => <StatusDot status={status} />,
  },
  countColumn(2, ({ evidenceCount }) => evidenceCount),
  {
    id: 'updatedAt',
    header: 'Updated',
    width: 130,
    leaves: 1,
    isOptional: true,
    sorts: ['-updatedAt'],
    render: ({ updatedAt }) => <Time value={updatedAt} />,
  },
];
