import { defineEntity, p } from '@mikro-orm/core';

/** Longest text of a version such as 0.12.3. */
const MAX_VERSION_LENGTH = 20;

/** Text of a version: three numbers. */
export const versionColumn = () => p.string().length(MAX_VERSION_LENGTH);

const dataVersionSchema = defineEntity({
  name: 'DataVersion',
  properties: {
    /** In the only row. */
    name: p.enum(['data']).primary(),
    /** Newest version of the service that has run on the data. */
    data: versionColumn(),
    /** Oldest version that can run on them. */
    oldest: versionColumn(),
  },
});

/** Version of the data, which a migration inserts. Contract, section 25. */
export class DataVersion extends dataVersionSchema.class {
  static readonly writePrivileges = ['update'] as const;
}
dataVersionSchema.setClass(DataVersion);
