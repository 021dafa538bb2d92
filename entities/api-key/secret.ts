import { defineEntity, p } from '@mikro-orm/core';
import type { WritePrivileges } from '../schema/row-level-security.ts';

const secretSchema = defineEntity({
  name: 'Secret',
  properties: {
    name: p.string().length(50).primary(),
    value: p.blob().hidden(),
  },
});

/** A secret shared by all processes on this database. A migration creates it once. */
export class Secret extends secretSchema.class {
  static readonly writePrivileges: WritePrivileges = [];
}
secretSchema.setClass(Secret);
