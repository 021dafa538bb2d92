import { callerForKey, createCompany } from './company.ts';
import { createMember } from './member.ts';
import type { TestMember } from './member.ts';

/** A company with a key that comments, the admin Ann and the editor Ben. */
export async function createCommenters() {
  const acme = await createCompany();
  return {
    acme,
    caller: await callerForKey(acme.key),
    ann: await createMember(acme, { name: 'Ann' }),
    ben: await createMember(acme, { name: 'Ben', role: 'editor' }),
    newTask: async () => ({ taskUniqueId: (await acme.newTask()).uniqueId }),
    newVendor: async () => ({ vendor: (await acme.vendor.create({ name: 'Cloud Ltd' })).uniqueId }),
  };
}

/** A member as objects show them. */
export const person = ({ uniqueId }: TestMember, name: string) => ({ uniqueId, name, kind: 'human' });
