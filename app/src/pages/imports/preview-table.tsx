import type { Preview } from './file.ts';

/** The columns and the first rows of a file; its first lines if the columns are uncertain. */
export function PreviewTable({ preview }: { preview: Preview }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <div className="preview" role="region" aria-label="Preview of the first rows" tabIndex={0}>
      {'lines' in preview ? (
        <pre className="mono">{preview.lines.join('\n')}</pre>
      ) : (
        <table>
          <thead>
            <tr>
              {preview.columns.map((column, index) => (
                <th key={`${index}-${column}`} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map((row, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- rows have no id and never move
              <tr key={index}>
                {row.map((cell, column) => (
                  // oxlint-disable-next-line react/no-array-index-key -- cells have no id and never move
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
