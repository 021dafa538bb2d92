/** Encodes a parameter for PostgreSQL: as text, or as bytes for bytea. */
export function encodeParameter(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value);
}

function encodeElement(value: unknown): string {
  const text = encodeParameter(value);
  if (text === null) return 'NULL';
  if (Array.isArray(value)) return String(text);
  return `"${String(text).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
