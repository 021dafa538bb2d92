import { Counter, Gauge } from 'prom-client';

/** Values of a metric with their labels. */
type Samples = readonly (readonly [labels: Record<string, string>, value: number])[];

/** Gauge whose values are read when metrics are collected. */
export const gauge = (name: string, help: string, read: () => Samples, labelNames: string[] = []): Gauge =>
  new Gauge({
    name,
    help,
    labelNames,
    registers: [],
    collect() {
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });

/** Counter whose values are read when metrics are collected. */
export const counter = (name: string, help: string, read: () => Samples, labelNames: string[] = []): Counter =>
  new Counter({
    name,
    help,
    labelNames,
    registers: [],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
