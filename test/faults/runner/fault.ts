import type { Company, LoadGenerator } from '../workload/load.ts';
import type { SeededRandom } from '../workload/random.ts';
import type { EnvironmentFactory, TestEnvironment } from '../environment/environment.ts';

/** What a fault may use while it strikes. */
interface FaultContext {
  random: SeededRandom;
  load: LoadGenerator;
  companies: readonly Company[];
  /** Reports an answer that should have been another. */
  report: (text: string) => void;
  /** Sends the clients through another door; undefined: straight to the service again. */
  routeThrough: (url: string | undefined) => void;
}

/** Something that goes wrong, and is over at its end. It is only ever given a stage that its own `on` has opened. */
export interface Fault<S extends TestEnvironment = TestEnvironment> {
  /** As the table names it. */
  name: string;
  environment: EnvironmentFactory<S>;
  /** How often it strikes in a short run; a long one goes through all faults again and again. */
  rounds: number;
  /** Goes wrong while clients ask; what it throws counts as a wrong answer. Resolves when the fault is over. */
  inject(stage: S, scene: FaultContext): Promise<void>;
}
