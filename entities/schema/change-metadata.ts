import { p } from '@mikro-orm/core';
import { actingUserReference } from '../company/user.ts';

/** Times and users of creation and last update, and the version, which counts changes from 1. */
export const changeMetadata = {
  createdAt: p.datetime(3).defaultRaw('now()'),
  updatedAt: p.datetime(3).defaultRaw('now()'),
  createdBy: () => actingUserReference('created_by_id'),
  updatedBy: () => actingUserReference('updated_by_id'),
  version: p.integer().version(),
};
