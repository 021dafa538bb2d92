import type { Control } from './control.ts';
import type { MemberName } from './people.ts';
import type { DemoRequirement } from './requirement.ts';

/** A framework with its requirements and controls. */
export interface DemoFramework {
  name: string;
  owner: MemberName;
  /** Days before today on which the work began. */
  begunDaysAgo: number;
  /** Days from today to the next audit. */
  auditInDays: number;
  requirements: readonly DemoRequirement[];
  controls: readonly Control[];
}
