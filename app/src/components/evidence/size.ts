const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;
const STEP = 1000;
/** Numbers below it have a decimal. */
const SMALL = 10;

/** A number of bytes: "820 bytes", "1.2 MB", "48 MB". */
export function sizeText(bytes: number): string {
  const power = bytes < STEP ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / Math.log10(STEP)));
  const value = bytes / STEP ** power;
  const digits = power > 0 && value < SMALL ? 1 : 0;
  const unit = UNITS[power] ?? '';
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${power === 0 && bytes === 1 ? 'byte' : unit}`;
}
