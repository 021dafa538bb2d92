import { useState } from 'react';
import type { PointerEvent } from 'react';
import { dateText, shortDate } from '../../dates.ts';
import './stacked-chart.css';

const MAX_TICKS = 5;

/** Whole numbers for an axis from 0, in steps of 1, 2 or 5 times a power of ten. The last one is at least the maximum. */
function ticksTo(maximum: number): number[] {
  const rough = Math.max(maximum, 1) / MAX_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (STEPS.find((one) => one * power >= rough) ?? 1) * power);
  return Array.from({ length: Math.ceil(Math.max(maximum, 1) / step) + 1 }, (_, index) => index * step);
}
const STEPS = [1, 2, 5, 10];

/** Lower and upper edges of the layers at each point, from the bottom. @param layers values of each layer by point */
function edgesOf(layers: readonly (readonly number[])[]): { lower: number[]; upper: number[] }[] {
  let lower = layers[0]?.map(() => 0) ?? [];
  return layers.map((values) => {
    const upper = values.map((value, point) => value + (lower[point] ?? 0));
    const edges = { lower, upper };
    lower = upper;
    return edges;
  });
}

interface Layer {
  name: string;
  color: string;
  /** One number for each day. */
  values: readonly number[];
}

interface StackedChartProps {
  /** The chart in words. */
  label: string;
  days: readonly string[];
  /** Layers from the bottom. */
  layers: readonly Layer[];
  /** Areas for numbers of things that last, bars for numbers of what happened on a day. */
  kind: 'areas' | 'bars';
}

/** Maximum number of days with a label. */
const LABELS = 5;
/** Part of its space that a bar takes. */
const BAR_WIDTH = 0.7;

/** Numbers by day, stacked. The pointer shows those of one day; a table beside the chart has them all. */
export function StackedChart({ label, days, layers, kind }: StackedChartProps) {
  const [shown, setShown] = useState<number>();
  const edges = edgesOf(layers.map(({ values }) => values));
  const ticks = ticksTo(Math.max(...(edges.at(-1)?.upper ?? [])));
  const top = ticks.at(-1) ?? 1;
  const width = kind === 'bars' ? days.length : days.length - 1;
  const left = (index: number) => `${((kind === 'bars' ? index + 0.5 : index) / width) * 100}%`;
  const point = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const box = currentTarget.getBoundingClientRect();
    const position = ((clientX - box.left) / box.width) * width;
    const index = kind === 'bars' ? Math.floor(position) : Math.round(position);
    setShown(Math.min(Math.max(index, 0), days.length - 1));
  };

  return (
    <div className="stacked-chart" role="img" aria-label={label}>
      <div className="plot" onPointerMove={point} onPointerLeave={() => setShown(undefined)}>
        {ticks.map((tick) => (
          <div key={tick} className="tick" style={{ bottom: `${(tick / top) * 100}%` }}>
            <span>{tick.toLocaleString('en')}</span>
          </div>
        ))}
        <svg viewBox={`0 0 ${width} ${top}`} preserveAspectRatio="none" aria-hidden>
          {layers.map(({ name, color }, layer) => (
            <path
              key={name}
              d={(kind === 'bars' ? bars : area)(edges[layer] ?? NO_EDGES, top)}
              fill={color}
              fillOpacity={kind === 'bars' ? 1 : 0.4}
              stroke={color}
              strokeWidth={kind === 'bars' ? 0 : 1.5}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
        {days.map(
          (day, index) =>
            isLabelled(index, days.length) && (
              <span key={day} className="day" style={{ left: left(index) }}>
                {shortDate(day)}
              </span>
            ),
        )}
        {shown !== undefined && (
          <div className={shown > width / 2 ? 'marker is-right' : 'marker'} style={{ left: left(shown) }}>
            <div>
              <b>{dateText(days[shown] ?? '')}</b>
              {layers.toReversed().map(({ name, values }) => (
                <span key={name}>
                  <br />
                  {name}: {(values[shown] ?? 0).toLocaleString('en')}
                </span>
              ))}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

type Edges = ReturnType<typeof edgesOf>[number];
const NO_EDGES: Edges = { lower: [], upper: [] };

/** The last day has a label, and those in equal distances before it. */
const isLabelled = (index: number, count: number): boolean => (count - 1 - index) % Math.ceil(count / LABELS) === 0;

/** Outline of an area: along the upper edge and back along the lower one. */
function area({ lower, upper }: Edges, top: number): string {
  const forth = upper.map((value, index) => `${index},${top - value}`);
  const back = lower.map((value, index) => `${index},${top - value}`).toReversed();
  return `M${[...forth, ...back].join('L')}Z`;
}

/** Rectangles of all days. */
const bars = ({ lower, upper }: Edges, top: number): string =>
  upper
    .map((value, index) => {
      const height = value - (lower[index] ?? 0);
      return `M${index + (1 - BAR_WIDTH) / 2},${top - value}h${BAR_WIDTH}v${height}h${-BAR_WIDTH}Z`;
    })
    .join('');
