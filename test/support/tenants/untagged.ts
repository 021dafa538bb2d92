/** A task or a vendor as lists and REST show it: without the entity tag that tRPC adds. */
export const untagged = <Item extends { etag: string }>({ etag: _etag, ...item }: Item): Omit<Item, 'etag'> => item;
