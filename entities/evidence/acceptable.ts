/** Condition: evidence counts as evidence of its object, as nobody rejected it. */
export const acceptableEvidence = (alias: string) => `${alias}.checked->>'result' is distinct from 'rejected'`;
