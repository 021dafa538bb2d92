import { writeZip } from '../proof/zip.ts';

// Spreadsheets as Excel and LibreOffice write them, without a library.

/** A cell: text, a number, or a number with a format, such as a date. */
type TestCell = string | number | boolean | null | { value: number; format: string };
export type TestRows = readonly (readonly TestCell[])[];

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const MS_PER_DAY = 86_400_000;

/** The number of a day in a spreadsheet, with the format in which it is shown. */
export const day = (date: string, format = 'dd.mm.yyyy') => ({
  value: Math.round((Date.parse(date) - Date.UTC(1899, 11, 30)) / MS_PER_DAY),
  format,
});

const letters = (column: number): string =>
  column < 26 ? String.fromCharCode(65 + column) : letters(Math.floor(column / 26) - 1) + letters(column % 26);

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Writes a workbook with shared strings and number formats. */
export function writeXlsx(sheets: Readonly<Record<string, TestRows>>): Promise<Buffer> {
  const strings: string[] = [];
  const formats: string[] = [];
  const positionIn = (list: string[], text: string) => {
    const found = list.indexOf(text);
    return found === -1 ? list.push(text) - 1 : found;
  };
  const cell = (value: TestCell, at: string) => {
    if (value === null) return '';
    if (typeof value === 'string') return `<c r="${at}" t="s"><v>${positionIn(strings, value)}</v></c>`;
    if (typeof value === 'boolean') return `<c r="${at}" t="b"><v>${Number(value)}</v></c>`;
    if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
    return `<c r="${at}" s="${positionIn(formats, value.format) + 1}"><v>${value.value}</v></c>`;
  };
  const names = Object.keys(sheets);
  const contents = Object.values(sheets).map(
    (rows) =>
      `${XML}<worksheet xmlns="${SHEET}"><sheetData>${rows
        .map((cells, row) =>
          cells.every((value) => value === null)
            ? ''
            : `<row r="${row + 1}">${cells.map((value, column) => cell(value, `${letters(column)}${row + 1}`)).join('')}</row>`,
        )
        .join('')}</sheetData></worksheet>`,
  );
  const files: [string, string][] = [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${names.map((_, index) => `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets>${names.map((name, index) => `<sheet name="${escape(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${names.map((_, index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`).join('')}<Relationship Id="rId${names.length + 1}" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId${names.length + 2}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      'xl/sharedStrings.xml',
      `${XML}<sst xmlns="${SHEET}" uniqueCount="${strings.length}">${strings.map((text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`).join('')}</sst>`,
    ],
    [
      'xl/styles.xml',
      `${XML}<styleSheet xmlns="${SHEET}"><numFmts count="${formats.length}">${formats.map((format, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escape(format)}"/>`).join('')}</numFmts><cellXfs count="${formats.length + 1}"><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${164 + index}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
    ],
    ...contents.map((content, index): [string, string] => [`xl/worksheets/sheet${index + 1}.xml`, content]),
  ];
  return writeZip(files.map(([name, text]) => [name, Buffer.from(text)]));
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';

/** Writes an ODS file with one sheet. Dates are given as text with `date`. */
export function writeOds(rows: readonly (readonly (string | number | { date: string })[])[]): Promise<Buffer> {
  const cell = (value: string | number | { date: string }) => {
    if (value === '') return '<table:table-cell/>';
    if (typeof value === 'number')
      return `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`;
    if (typeof value === 'object')
      return `<table:table-cell office:value-type="date" office:date-value="${value.date}"><text:p>shown</text:p></table:table-cell>`;
    return `<table:table-cell office:value-type="string">${value
      .split('\n')
      .map((line) => `<text:p>${escape(line)}</text:p>`)
      .join('')}</table:table-cell>`;
  };
  const content = `${XML}<office:document-content xmlns:office="${ODF}:office:1.0" xmlns:table="${ODF}:table:1.0" xmlns:text="${ODF}:text:1.0"><office:body><office:spreadsheet><table:table table:name="Register">${rows.map((cells) => `<table:table-row>${cells.map(cell).join('')}<table:table-cell table:number-columns-repeated="1000"/></table:table-row>`).join('')}<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
  const manifest = `${XML}<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0"/>`;
  return writeZip([
    ['mimetype', Buffer.from('application/vnd.oasis.opendocument.spreadsheet')],
    ['content.xml', Buffer.from(content)],
    ['META-INF/manifest.xml', Buffer.from(manifest)],
  ]);
}
