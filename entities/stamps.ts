import { p } from '@mikro-orm/core';
import { byWhoActs } from './user.ts';

/** Who and when, on tasks and vendors, and the version that counts changes from 1. */
export const stamps = {
  createdAt: p.datetime(3).defaultRaw('now()'),
  updatedAt: p.datetime(3).defaultRaw('now()'),
  createdBy: () => byWhoActs('created_by_id'),
  updatedBy: () => byWhoActs('updated_by_id'),
  version: p.integer().version(),
};
