import { minutesAfter } from './calendar.ts';
import type { Actor } from './content/people.ts';
import type { Moment, World } from './world.ts';

/** Something that a person or a key does at a time. */
export interface Step extends Moment {
  run: (world: World, step: Step) => Promise<unknown>;
}

/** Steps of one task or vendor, each later than the one before it. */
export class Story {
  readonly steps: Step[] = [];

  /** Adds a step at a time, or some minutes after the last one if that is later. */
  add(at: Date, by: Actor, run: Step['run']): this {
    const last = this.steps.at(-1);
    const earliest = last === undefined ? at : minutesAfter(last.at, 7);
    this.steps.push({ at: at < earliest ? earliest : at, by, run });
    return this;
  }
}

/** The steps of all stories in the order of their times. */
export const inOrder = (stories: readonly Story[]): Step[] =>
  stories.flatMap(({ steps }) => steps).toSorted((one, other) => one.at.getTime() - other.at.getTime());
