const MAX_TICKS = 5;

/** Whole numbers for an axis from 0, in steps of 1, 2 or 5 times a power of ten. The last one is at least the maximum. */
export function ticksTo(maximum: number): number[] {
  const rough = Math.max(maximum, 1) / MAX_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (STEPS.find((one) => one * power >= rough) ?? 1) * power);
  return Array.from({ length: Math.ceil(Math.max(maximum, 1) / step) + 1 }, (_, index) => index * step);
}
const STEPS = [1, 2, 5, 10];

/** Lower and upper edges of the layers at each point, from the bottom. @param layers values of each layer by point */
export function edgesOf(layers: readonly (readonly number[])[]): { lower: number[]; upper: number[] }[] {
  let lower = layers[0]?.map(() => 0) ?? [];
  return layers.map((values) => {
    const upper = values.map((value, point) => value + (lower[point] ?? 0));
    const edges = { lower, upper };
    lower = upper;
    return edges;
  });
}
