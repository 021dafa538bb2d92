import { defineEntity, p } from '@mikro-orm/core';

const secretSchema = defineEntity({
  name: 'Secret',
  properties: {
    name: p.string().length(50).primary(),
    value: p.blob().hidden(),
  },
});

/** A secret shared by all processes on this database. A migration creates it once. */
export class Secret extends secretSchema.class {
  static readonly writePrivileges = [] as const;
}
secretSchema.setClass(Secret);
