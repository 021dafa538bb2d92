import type { ReactNode } from 'react';
import { usePrinting } from '../../print/printing.ts';
import { CopyableId } from '../copyable-id.tsx';
import { Time } from '../time.tsx';

interface RecordData {
  uniqueId: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  createdBy: { name: string };
  updatedBy: { name: string };
  externalIds: readonly { source: string; externalId: string }[];
}

/** Facts of a record that nobody edits. */
export function Facts({ record, children }: { record: RecordData; children?: ReactNode }) {
  const { uniqueId, version, createdAt, updatedAt, createdBy, updatedBy, externalIds } = record;
  return (
    <dl className="record-facts">
      {children}
      <dt>Id</dt>
      <dd>
        <CopyableId value={uniqueId} />
      </dd>
      {externalIds.map(({ source, externalId }) => (
        <Fact key={source} name={source}>
          <CopyableId value={externalId} label={`Copy id in ${source}`} />
        </Fact>
      ))}
      <Fact name="Created">
        {createdBy.name}, <Time value={createdAt} withRelative />
      </Fact>
      <Fact name="Updated">
        {updatedBy.name}, <Time value={updatedAt} withRelative />
      </Fact>
      <Fact name="Version">{version}</Fact>
    </dl>
  );
}

/** A name with its value. An absent value is "None". */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children === false ? <span className="none">None</span> : children}</dd>
  </>
);

/** Values of the fields as text: for a person who may not change them, and on paper. */
export function FieldsAsText({ readOnly, children }: { readOnly: boolean; children: ReactNode }) {
  const isPrinting = usePrinting();
  return readOnly || isPrinting ? children : null;
}
