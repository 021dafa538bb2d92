import type { LoadGenerator } from '../workload/load.ts';
import type { Company } from '../workload/requests.ts';
import type { SeededRandom } from '../workload/random.ts';
import type { EnvironmentFactory, TestEnvironment } from '../environment/environment.ts';

/** Tools of a fault during its injection. */
interface FaultContext {
  random: SeededRandom;
  load: LoadGenerator;
  companies: readonly Company[];
  /** Reports a wrong response. */
  report: (text: string) => void;
  /** Sends the requests of the clients to another URL, such as a proxy. `undefined` restores the service's own URL. */
  routeThrough: (url: string | undefined) => void;
}

/** A temporary fault. `inject` only receives environments that the factory in `environment` has opened. */
export interface Fault<S extends TestEnvironment = TestEnvironment> {
  name: string;
  /** Name of the row in the table of results that several faults share. Without it, the fault has a row of its own. */
  row?: string;
  environment: EnvironmentFactory<S>;
  /** Rounds in a short run. A long run repeats all faults until its time is over. */
  rounds: number;
  /** Injects the fault while clients send requests, and resolves when it is over. An error counts as a wrong response. */
  inject(environment: S, context: FaultContext): Promise<void>;
}
