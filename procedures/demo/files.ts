import { crc32, deflateSync } from 'node:zlib';

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

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const SIZE = { width: 480, height: 270 } as const;
/** Red, green and blue: background, frame, quiet bar, strong bar, warning. */
const PALETTE = [0xff, 0xff, 0xff, 0xd0, 0xd7, 0xe2, 0x9d, 0xb4, 0xd6, 0x2f, 0x5f, 0xa8, 0xd9, 0x82, 0x2b];
const COLOR = { background: 0, frame: 1, quiet: 2, strong: 3, warning: 4 } as const;
const MARGIN = 30;

/** A chunk of PNG: length, type, data, and their CRC. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

/**
 * A PNG with a bar chart, in a palette of few colors so that it is small. https://www.w3.org/TR/png-3/
 * @param bars heights from 0 to 1; those below a third have the color of a warning
 */
export function createChart(bars: readonly number[]): Buffer {
  // Each line begins with the number of its filter: 0, none.
  const stride = SIZE.width + 1;
  const pixels = Buffer.alloc(stride * SIZE.height, COLOR.background);
  const fill = (left: number, top: number, right: number, bottom: number, color: number) => {
    for (let y = top; y < bottom; y += 1) pixels.fill(color, y * stride + 1 + left, y * stride + 1 + right);
  };
  const bottom = SIZE.height - MARGIN;
  const height = bottom - MARGIN;
  for (let quarter = 0; quarter <= 4; quarter += 1) {
    const y = MARGIN + Math.round((height * quarter) / 4);
    fill(MARGIN, y, SIZE.width - MARGIN, y + 1, COLOR.frame);
  }
  const width = (SIZE.width - 2 * MARGIN) / Math.max(1, bars.length);
  for (const [index, value] of bars.entries()) {
    const left = Math.round(MARGIN + width * (index + 0.2));
    const color = value < 1 / 3 ? COLOR.warning : index === bars.length - 1 ? COLOR.strong : COLOR.quiet;
    fill(left, bottom - Math.round(height * value), Math.round(left + width * 0.6), bottom, color);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE.width, 0);
  header.writeUInt32BE(SIZE.height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, palette, deflate, no other filter, not interlaced
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(PALETTE)),
    chunk('IDAT', deflateSync(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
