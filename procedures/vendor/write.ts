import type { z } from 'zod';
import type { Session } from '../../database/session.ts';
import { newUniqueId } from '../../entities/ids.ts';
import type { IfMatch } from '../../entities/statements/entity-tag.ts';
import { vendorStatements } from '../../entities/vendor/statements.ts';
import { applyVendorChanges, vendorResource } from '../../entities/vendor/vendor.ts';
import type { VendorChanges as Changes } from '../../entities/vendor/vendor.ts';
import { createResource, resourceActions } from '../core/resource.ts';
import type { NewVendor } from './schemas.ts';

export const BASE_PATH = '/external/smart-inventory/vendor';

export const actions = resourceActions(vendorStatements);

/** Creates a vendor. */
export const createVendor = (session: Session, { active, ...fields }: z.infer<typeof NewVendor>) =>
  createResource(session, vendorStatements, {
    ...fields,
    uniqueId: newUniqueId(),
    status: active ? ('active' as const) : ('inactive' as const),
  });

/** Changes a vendor. @returns the vendor, and whether it was changed */
export const changeVendor = (session: Session, uniqueId: string, changes: Changes, ifMatch: IfMatch = null) =>
  actions.change(
    session,
    { ...vendorResource.changeParameters(changes), uniqueId, ifMatch },
    changes,
    applyVendorChanges,
  );
