import { defineEntity, p } from '@mikro-orm/core';
import { MAX_PLACE_LENGTH } from './file.ts';

const formerPlaceSchema = defineEntity({
  name: 'FormerPlace',
  properties: { place: p.string().length(MAX_PLACE_LENGTH).primary() },
});

/** A bucket and prefix in S3 that files were moved from. It may have bytes that no row refers to, until a move removes them. */
export class FormerPlace extends formerPlaceSchema.class {
  static readonly writePrivileges = ['insert', 'delete'] as const;
}
formerPlaceSchema.setClass(FormerPlace);
