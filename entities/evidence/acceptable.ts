/** Condition: evidence counts as evidence of its object. One place, so that evidence which people rejected can be left out. */
export const acceptableEvidence = (alias: string) => `${alias}.unique_id is not null`;
