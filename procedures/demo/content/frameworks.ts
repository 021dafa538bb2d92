import type { DemoFramework } from './control.ts';
import { GDPR } from './gdpr.ts';
import { ISO_ORGANISATION, ISO_TECHNOLOGY } from './iso-27001.ts';
import { SOC_2 } from './soc-2.ts';

/** The frameworks, in the order in which the company began to work on them. */
export const FRAMEWORKS: readonly DemoFramework[] = [
  { name: 'ISO 27001', begunDaysAgo: 360, controls: [...ISO_ORGANISATION, ...ISO_TECHNOLOGY] },
  { name: 'GDPR', begunDaysAgo: 290, controls: GDPR },
  { name: 'SOC 2', begunDaysAgo: 200, controls: SOC_2 },
];
