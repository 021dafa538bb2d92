import type { Company, Load } from './load.ts';
import type { Chance } from './random.ts';
import type { Setting, Stage } from './stage.ts';

/** What a fault may use while it strikes. */
interface Scene {
  chance: Chance;
  load: Load;
  companies: readonly Company[];
  /** Reports an answer that should have been another. */
  found: (text: string) => void;
  /** Sends the clients through another door; undefined: straight to the service again. */
  through: (url: string | undefined) => void;
}

/** Something that goes wrong, and is over at its end. It is only ever given a stage that its own `on` has opened. */
export interface Fault<S extends Stage = Stage> {
  /** As the table names it. */
  name: string;
  on: Setting<S>;
  /** How often it strikes in a short run; a long one goes through all faults again and again. */
  rounds: number;
  /** Goes wrong while clients ask; what it throws counts as a wrong answer. Resolves when the fault is over. */
  strike(stage: S, scene: Scene): Promise<void>;
}
