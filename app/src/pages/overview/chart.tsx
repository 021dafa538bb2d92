import { AreaChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { shortDate } from '../../dates.ts';
import { SERIES, countOf } from './series.ts';
import type { Day } from './series.ts';

/** Tasks by status as stacked areas. The labels of the layers are beside it. */
export function Chart({ days }: { days: readonly Day[] }) {
  const data = days.map((day) => ({
    day: day.day,
    ...Object.fromEntries(SERIES.map(({ name, statuses }) => [name, countOf(day, statuses)])),
  }));
  return (
    <AreaChart
      h="100%"
      data={data}
      dataKey="day"
      type="stacked"
      curveType="linear"
      withDots={false}
      withGradient={false}
      fillOpacity={0.35}
      strokeWidth={1.5}
      gridAxis="x"
      series={SERIES.map(({ name, color }) => ({ name, color }))}
      valueFormatter={(value) => value.toLocaleString('en')}
      xAxisProps={{ tickFormatter: shortDate, minTickGap: 48 }}
      yAxisProps={{ width: 44, allowDecimals: false }}
      tooltipProps={{ labelFormatter: (label) => (typeof label === 'string' ? shortDate(label) : label) }}
      areaChartProps={{ accessibilityLayer: false }}
      areaProps={{ isAnimationActive: false }}
    />
  );
}
