/** Position of text on a page of A4, in points of 1/72 inch from the lower left corner. */
const PAGE = { width: 595, height: 842, left: 72, top: 760 } as const;
const LINE_HEIGHT = 20;

/** Characters of Latin-1 that a string of PDF must escape. */
const escapeText = (text: string) => text.replaceAll(/[\\()]/g, (character) => `\\${character}`);

/**
 * A PDF with one page: a title and lines of text in Helvetica, which every reader has.
 * https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf
 */
export function createPdf(title: string, lines: readonly string[]): Buffer {
  const text = [
    `BT /F1 18 Tf ${PAGE.left} ${PAGE.top} Td (${escapeText(title)}) Tj`,
    `/F1 11 Tf 0 -${2 * LINE_HEIGHT} Td`,
    ...lines.map((line) => `(${escapeText(line)}) Tj 0 -${LINE_HEIGHT} Td`),
    'ET',
  ].join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${Buffer.byteLength(text, 'latin1')} >>\nstream\n${text}\nendstream`,
  ];
  const parts = ['%PDF-1.4\n'];
  const offsets: number[] = [];
  let length = parts.join('').length;
  for (const [index, object] of objects.entries()) {
    const part = `${index + 1} 0 obj\n${object}\nendobj\n`;
    offsets.push(length);
    parts.push(part);
    length += Buffer.byteLength(part, 'latin1');
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`);
  parts.push(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`);
  return Buffer.from(parts.join(''), 'latin1');
}
