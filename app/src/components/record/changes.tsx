import { Fragment } from 'react';
import { ruleText } from '../recurrence/words.ts';
import { Difference } from './difference.tsx';
import './record.css';
import { fieldLabel, isEmpty, isLongText, valueText } from './values.ts';
import type { FindName } from './values.ts';

interface ChangesProps {
  /** `changes` of an audit event: `{field: {from, to}}`, or the full object of a create or delete. */
  changes: Readonly<Record<string, unknown>>;
  /** Finds names of departments, gaps and frameworks: `useNames()`. */
  findName?: FindName | undefined;
}

/** The fields that an event changed, each with its old and new value; nothing for an event without values. */
export function Changes({ changes, findName }: ChangesProps) {
  const shown = Object.entries(changes).filter(([, value]) => isChange(value) || !isEmpty(value));
  if (shown.length === 0) return null;
  return (
    <dl className="changes">
      {shown.map(([field, value]) => (
        <Fragment key={field}>
          <dt>{fieldLabel(field)}</dt>
          <dd>
            <Value field={field} value={value} findName={findName} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

interface ValueProps {
  field: string;
  value: unknown;
  findName: FindName | undefined;
}

/** A change of one field, or its value in a full object. */
function Value({ field, value, findName }: ValueProps) {
  if (!isChange(value))
    return isLongText(field, value) ? (
      <Difference from={String(value)} to={String(value)} />
    ) : (
      <ValueText field={field} value={value} findName={findName} />
    );
  const { from, to } = value;
  if (typeof from === 'string' && typeof to === 'string' && (isLongText(field, from) || isLongText(field, to)))
    return <Difference from={from} to={to} />;
  return (
    <span className="difference">
      <del>
        <ValueText field={field} value={from} findName={findName} />
      </del>{' '}
      →{' '}
      <ins>
        <ValueText field={field} value={to} findName={findName} />
      </ins>
    </span>
  );
}

/** A value as text. */
function ValueText({ field, value, findName }: ValueProps) {
  return field === 'recurrence' && typeof value === 'string' ? (
    <span>{ruleText(value)}</span>
  ) : (
    valueText(field, value, findName)
  );
}

interface Change {
  from: unknown;
  to: unknown;
}

/** True for `{from, to}`. */
export const isChange = (value: unknown): value is Change =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
