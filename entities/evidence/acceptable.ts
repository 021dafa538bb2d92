/** Condition: evidence counts as evidence of its object, as nobody rejected it. */
export const acceptableEvidence = (alias: string) => `coalesce(${alias}.checked->>'result', '') <> 'rejected'`;
