import { operatorPrincipal } from '../../entities/principal.ts';
import type { Principal } from '../../entities/principal.ts';
import { discardFile, receiveFile } from '../evidence/upload.ts';
import { dateOf, minutesAfter } from './calendar.ts';
import type { Actor } from './content/people.ts';
import type { DemoRequirement } from './content/requirement.ts';
import type { DemoCaller, DemoCompany } from './past.ts';

/** A time, and who acts at it. */
export interface Moment {
  at: Date;
  by: Actor;
}

export type Parent = { taskUniqueId: string } | { vendor: string } | { requirement: string };

/** A file to attach. */
export interface DemoFile {
  name: string;
  mediaType: string;
  bytes: Buffer;
  note?: string;
  validUntil?: string;
}

/** The present state of the company, and those who act in it. */
export class World {
  readonly demo: DemoCompany;
  readonly frameworks = new Map<string, number>();
  readonly departments = new Map<string, number>();
  readonly gaps = new Map<string, number>();
  /** uniqueIds of the requirements. */
  readonly requirements = new Map<DemoRequirement, string>();
  /** Tasks of controls; of a series the last one. */
  readonly tasks: { control: { title: string }; uniqueId: string }[] = [];
  /** Vendors with their labels, in the order in which they were added. */
  readonly vendors: { uniqueId: string; labels: readonly string[] }[] = [];
  readonly #principals = new Map<Actor, Principal>();

  constructor(demo: DemoCompany) {
    this.demo = demo;
    this.addActor('operator', operatorPrincipal(demo.id));
  }

  addActor(actor: Actor, principal: Principal): void {
    this.#principals.set(actor, principal);
  }

  principal(actor: Actor): Principal {
    const principal = this.#principals.get(actor);
    if (principal === undefined) throw new Error(`demo: ${actor} acts before joining`);
    return principal;
  }

  /** uniqueId of the user. */
  user(actor: Actor): string {
    return this.principal(actor).user.uniqueId;
  }

  /** Up to two vendors with a label, the first ones. */
  vendorsWith(label: string | undefined): string[] {
    const fitting = this.vendors.filter(({ labels }) => label !== undefined && labels.includes(label));
    return fitting.slice(0, 2).map(({ uniqueId }) => uniqueId);
  }

  /** The requirements that name a control by the beginning of its title, of all frameworks that have begun. */
  requirementsOf(title: string): string[] {
    return [...this.requirements].flatMap(([{ controls }, uniqueId]) =>
      controls.some((start) => title.startsWith(start)) ? [uniqueId] : [],
    );
  }

  /** Runs work at a moment. */
  act<T>({ at, by }: Moment, work: (caller: DemoCaller) => Promise<T>): Promise<T> {
    return this.demo.at(at, this.principal(by), work);
  }

  /** Caller for procedures that are units of work. */
  units({ at, by }: Moment): DemoCaller['management'] {
    return this.demo.unitsAt(at, this.principal(by));
  }

  /** Uploads a file and attaches it. */
  async attach({ at, by }: Moment, parent: Parent, { bytes, mediaType, ...fields }: DemoFile): Promise<void> {
    const principal = this.principal(by);
    const session = this.demo.session(principal);
    const { services } = this.demo;
    const input = { ...parent, ...fields, date: dateOf(at) };
    const file = await receiveFile(session, { input, mediaType }, inOnePart(bytes), services);
    try {
      await this.demo.at(at, principal, (caller) => caller.evidence.upload(input), { upload: { file } });
    } catch (error) {
      await discardFile(session, file, services);
      throw error;
    }
  }
}

async function* inOnePart(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

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
