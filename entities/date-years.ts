/** Years of calendar dates. PostgreSQL and JavaScript agree on all dates in this range. */
export const DATE_YEARS = { min: 1900, max: 2999 } as const;
