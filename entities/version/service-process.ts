import { defineEntity, p } from '@mikro-orm/core';
import { versionColumn } from './data-version.ts';

const serviceProcessSchema = defineEntity({
  name: 'ServiceProcess',
  properties: {
    uniqueId: p.uuid().primary(),
    version: versionColumn(),
    /** Time of the last sign of life. */
    seenAt: p.datetime(3),
  },
});

/** A running process of the service. Contract, section 25. */
export class ServiceProcess extends serviceProcessSchema.class {
  static readonly writePrivileges = ['insert', 'update', 'delete'] as const;
}
serviceProcessSchema.setClass(ServiceProcess);
