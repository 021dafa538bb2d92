/** A table as oxfmt formats it. @param rows cells of each row, the header first */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = (cells[0] ?? []).map((_, index) => Math.max(3, ...cells.map((row) => (row[index] ?? '').length)));
  const lines = cells.map((row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}
