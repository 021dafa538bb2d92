/** Scrapes a Prometheus endpoint. Returns values by name and labels in text format. */
export async function scrapeMetrics(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const separator = line.lastIndexOf(' ');
      const value = line.slice(separator + 1);
      return [line.slice(0, separator), value === 'Nan' ? NaN : Number(value)];
    }),
  );
}
