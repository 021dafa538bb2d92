/** A share in percent, rounded down, so that only the whole is 100. The share of nothing is 0. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.floor((part / whole) * 100));

/** "30 %" */
export const percentText = (part: number, whole: number): string => `${percentOf(part, whole)} %`;
