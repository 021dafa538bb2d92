const folded = (text: string): string => text.normalize().toLowerCase();

/** Returns true if a text contains another one, ignoring case and how its accents are encoded. */
export const containsText = (text: string, part: string): boolean => folded(text).includes(folded(part));
