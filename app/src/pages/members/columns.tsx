import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FrameworkNames } from '../../components/frameworks/framework-names.tsx';
import type { Member as Colleague } from '../../components/person/use-members.ts';
import type { Column } from '../../components/table/data-table.tsx';
import { roleText } from './roles.ts';

/** What every role reads of a member. */
export type Listed = Pick<Colleague, 'uniqueId' | 'name' | 'email' | 'role' | 'frameworks'>;

/** The name with a link to the page of the member, and the email. @param renderMore further lines */
export const nameColumn = <Row extends Listed>(renderMore?: (row: Row) => ReactNode): Column<Row> => ({
  id: 'name',
  header: 'Name',
  className: 'wrap',
  render: (row) => (
    <>
      <Link to="/members/$uniqueId" params={{ uniqueId: row.uniqueId }}>
        {row.name}
      </Link>
      <br />
      <span className="quiet">{row.email}</span>
      {renderMore?.(row)}
    </>
  ),
});

export const ROLE: Column<Listed> = {
  id: 'role',
  header: 'Role',
  width: 90,
  render: ({ role }) => roleText(role),
};

export const FRAMEWORKS: Column<Listed> = {
  id: 'frameworks',
  header: 'Frameworks',
  width: 180,
  leaves: 2,
  className: 'wrap',
  render: ({ frameworks }) => <FrameworkNames ids={frameworks} />,
};
