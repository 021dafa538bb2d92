/**
 * Folds text for comparisons that ignore case, as `fold_case` does in the database (migrations/). JavaScript lowers a Greek sigma by
 * its place in the word, and İ to two characters: neither suits a comparison of parts of text.
 */
export const foldCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');
