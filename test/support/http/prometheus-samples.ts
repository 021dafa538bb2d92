/** What an endpoint for Prometheus tells: values by name and labels, as they are written. */
export async function scrapeMetrics(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      const value = line.slice(at + 1);
      return [line.slice(0, at), value === 'Nan' ? NaN : Number(value)];
    }),
  );
}
