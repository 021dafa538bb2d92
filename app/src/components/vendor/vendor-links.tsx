import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useVendorNames } from './use-vendor-names.ts';

/** Names of vendors, with links to their pages. */
export const VendorLinks = ({ uniqueIds }: { uniqueIds: readonly string[] }) =>
  useVendorNames(uniqueIds).map(({ uniqueId, name }) => (
    <div key={uniqueId}>
      {name === undefined ? (
        <Skeleton h={18} />
      ) : (
        <Link to="/vendors/$uniqueId" params={{ uniqueId }}>
          {name}
        </Link>
      )}
    </div>
  ));
