/**
 * Folds the case of text in Unicode NFC for comparisons, as `foldedSql` does in the database. `toLowerCase` maps a Greek sigma by its
 * position in the word, and İ to two characters. Both would break comparisons of substrings.
 */
export const foldCase = (text: string): string =>
  text.normalize().replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/**
 * SQL that folds the text of a column (`entities/schema/functions/fold_case.sql`). Most text is ASCII or composed, and to know that takes a
 * third of the time of `normalize`.
 */
export const foldedSql = (column: string): string =>
  `case when octet_length(${column}) = char_length(${column}) or ${column}::text is nfc normalized then fold_case(${column})
    else fold_case(normalize(${column}::text)) end`;

/** SQL that folds a parameter, once for all rows. */
export const foldedParameter = (placeholder: string): string => `(select fold_case(normalize(${placeholder}::text)))`;
