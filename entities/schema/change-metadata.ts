import { p } from '@mikro-orm/core';
import { actingUserReference } from '../company/user.ts';
import { plainColumn } from '../fields/kind.ts';

/** Times and users of creation and last update, and the version, which counts changes from 1. */
export const changeMetadata = {
  createdAt: plainColumn(p.datetime(3).defaultRaw('now()'), 'none'),
  updatedAt: plainColumn(p.datetime(3).defaultRaw('now()'), 'none'),
  createdBy: plainColumn(() => actingUserReference('created_by_id'), 'identifier'),
  updatedBy: plainColumn(() => actingUserReference('updated_by_id'), 'identifier'),
  version: plainColumn(p.integer().version(), 'none'),
};
