import { markerOf } from './oracle.ts';
import type { Company } from './load.ts';
import type { Chance } from './random.ts';
import type { Sent } from './witness.ts';

/** A resource that a client made and nobody else changes. */
export interface Owned {
  type: 'task' | 'vendor';
  id: string;
}

const VENDORS = '/external/smart-inventory/vendor';
const pathTo = ({ type, id }: Owned, what: string) =>
  type === 'task' ? `/external/task/${id}/${what}` : `${VENDORS}/${id}/${what}`;

/** Resources that a client keeps: so many that it deletes as often as it creates from there on. */
const MOST = 30;

interface Whose {
  company: Company;
  owned: readonly Owned[];
  /** A company that is none of the client's business, and something of it. */
  other: Company;
  stranger: Owned | undefined;
}

/** What a client asks next: half changes with an Idempotency-Key, some without, reads, and what must be refused. */
export function nextRequest(op: string, whose: Whose, chance: Chance): Sent {
  const { company, owned } = whose;
  const text = `${markerOf(company.id)} ${op}`;
  const shared = { op, company: company.id, isOnce: chance.next() < 0.7 };
  const kind = chance.next();
  if (owned.length < 3 || kind < 0.25) return creation(shared, company, text, chance);
  const own = chance.pick(owned);
  const { type, id } = own;
  if (kind < 0.5) {
    const body = type === 'task' ? { title: text, priority: 1 + chance.below(4) } : { name: text, description: text };
    return { ...shared, type, does: 'update', method: 'PATCH', path: pathTo(own, 'edit'), resource: id, body };
  }
  if (kind < 0.6 || owned.length > MOST)
    return { ...shared, type, does: 'delete', method: 'DELETE', path: pathTo(own, 'delete'), resource: id };
  if (kind < 0.8) return refusal(shared, whose, own, text, chance);
  const path = chance.pick([
    pathTo(own, 'item'),
    pathTo(own, 'history'),
    `${VENDORS}/list`,
    `/external/task/framework/${company.framework}/list?limit=20`,
    '/external/audit/list?limit=20',
  ]);
  return { ...shared, type: 'audit', does: 'read', method: 'GET', path, isOnce: false };
}

type Shared = Pick<Sent, 'op' | 'company' | 'isOnce'>;

function creation(shared: Shared, { framework }: Company, text: string, chance: Chance): Sent {
  return chance.next() < 0.5
    ? {
        ...shared,
        type: 'task',
        does: 'create',
        method: 'POST',
        path: `/external/task/framework/${framework}/new`,
        body: { title: text, description: text, priority: 1 + chance.below(4), labels: [text.slice(0, 40)] },
      }
    : {
        ...shared,
        type: 'vendor',
        does: 'create',
        method: 'POST',
        path: `${VENDORS}/new`,
        body: { name: text, description: text },
      };
}

/** What must come to nothing: of another company, against a rule, after another change, malformed. */
function refusal(shared: Shared, whose: Whose, own: Owned, text: string, chance: Chance): Sent {
  const { company, other, stranger } = whose;
  const refused = { ...shared, type: own.type, does: 'refusal' as const };
  const title = own.type === 'task' ? { title: text } : { name: text };
  return chance.pick<Sent>([
    { ...refused, method: 'POST', path: `/external/task/framework/${other.framework}/new`, body: { title: text } },
    { ...refused, method: 'POST', path: `${VENDORS}/new`, body: { name: text, surprise: true } },
    {
      ...refused,
      method: 'POST',
      path: `/external/task/framework/${company.framework}/new`,
      body: { title: text, startDate: '2026-05-02', dueDate: '2026-05-01' },
    },
    { ...refused, method: 'PATCH', path: pathTo(own, 'edit'), body: title, headers: { 'If-Match': '"none"' } },
    ...(stranger === undefined ? [] : trespasses(refused, stranger, text)),
  ]);
}

/** Reading, changing and deleting what is another company's. */
const trespasses = (refused: Shared & { does: 'refusal' }, stranger: Owned, text: string): Sent[] => [
  { ...refused, type: stranger.type, method: 'GET', path: pathTo(stranger, 'item'), isOnce: false },
  { ...refused, type: stranger.type, method: 'GET', path: pathTo(stranger, 'history'), isOnce: false },
  { ...refused, type: stranger.type, method: 'DELETE', path: pathTo(stranger, 'delete') },
  { ...refused, type: stranger.type, method: 'PATCH', path: pathTo(stranger, 'edit'), body: { description: text } },
];
