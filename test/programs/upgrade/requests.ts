import type { SeededRandom } from '../faults/workload/random.ts';

/** A company of the seeded data. */
export interface Company {
  key: string;
  framework: number;
  tasks: string[];
  vendors: string[];
}

/** A request of the mixed load. */
export interface MixedRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: object;
}

const VENDORS = '/external/smart-inventory/vendor';
const trpcQuery = (name: string, input: object) => `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`;

/** The mix: each request with its share in percent. `text` is unique. */
const MIX: [share: number, make: (company: Company, random: SeededRandom, text: string) => MixedRequest][] = [
  [15, ({ tasks }, random) => ({ method: 'GET', path: `/external/task/${random.pick(tasks)}/item` })],
  [10, ({ framework }) => ({ method: 'GET', path: `/external/task/framework/${framework}/list?limit=20` })],
  [4, () => ({ method: 'GET', path: '/external/department/list' })],
  [5, () => ({ method: 'GET', path: `${VENDORS}/list?limit=20` })],
  [5, ({ vendors }, random) => ({ method: 'GET', path: `${VENDORS}/${random.pick(vendors)}/item` })],
  [5, () => ({ method: 'GET', path: '/external/audit/list?limit=20' })],
  [4, () => ({ method: 'GET', path: trpcQuery('vendor.list', { limit: 20 }) })],
  [4, ({ vendors }, random) => ({ method: 'GET', path: trpcQuery('vendor.get', { vendor: random.pick(vendors) }) })],
  [
    15,
    ({ framework }, random, title) => ({
      method: 'POST',
      path: `/external/task/framework/${framework}/new`,
      body: { title, description: title, priority: 1 + random.integerBelow(4), labels: ['upgrade'] },
    }),
  ],
  [
    15,
    ({ tasks }, random, title) => ({
      method: 'PATCH',
      path: `/external/task/${random.pick(tasks)}/edit`,
      body: { title },
    }),
  ],
  [5, (_, __, name) => ({ method: 'POST', path: `${VENDORS}/new`, body: { name } })],
  [
    5,
    ({ vendors }, random, description) => ({
      method: 'PATCH',
      path: `${VENDORS}/${random.pick(vendors)}/edit`,
      body: { description },
    }),
  ],
  [
    4,
    ({ vendors }, random, description) => ({
      method: 'POST',
      path: '/trpc/vendor.update',
      body: { vendor: random.pick(vendors), description },
    }),
  ],
];
const TOTAL = MIX.reduce((sum, [share]) => sum + share, 0);

/** Returns a random request of the mix. */
export function mixedRequest(company: Company, random: SeededRandom, text: string): MixedRequest {
  let rest = random.integerBelow(TOTAL);
  const [, make] = MIX.find(([share]) => (rest -= share) < 0) ?? MIX[0] ?? [];
  if (make === undefined) throw new Error('the mix is empty');
  return make(company, random, text);
}
