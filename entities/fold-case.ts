/**
 * Folds case for comparisons, as `fold_case` does in the database (migrations/). `toLowerCase` maps a Greek sigma by its
 * position in the word, and İ to two characters. Both would break comparisons of substrings.
 */
export const foldCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');
