import { expect, test } from 'vitest';
import { readFile } from '../../app/src/pages/imports/file.ts';

test('the preview of a file with one column shows a quoted, empty cell and skips empty lines', async () => {
  const file = new File(['name\r\n\r\nA\r\n""\r\n\r\nB\r\n'], 'vendors.csv');
  expect(await readFile(file)).toMatchObject({ preview: { columns: ['name'], rows: [['A'], [''], ['B']] } });
});
