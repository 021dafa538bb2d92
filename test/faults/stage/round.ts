import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { manage } from './ask.ts';
import type { Fault } from './fault.ts';
import { footprintOf, leaks } from './footprint.ts';
import type { Footprint } from './footprint.ts';
import { Load, foundCompany, repeatUnknown } from './load.ts';
import type { Company } from './load.ts';
import { judge } from './oracle.ts';
import type { Finding } from './oracle.ts';
import { chanceOf } from './random.ts';
import { OPERATOR_TOKEN } from './service.ts';
import type { Stage } from './stage.ts';
import { Witness, outcomeOf, readWitness } from './witness.ts';

/** What came of one round: a load, a fault in its midst, and the judgement of what is stored. */
export interface Outcome {
  findings: Finding[];
  acknowledged: number;
  refused: number;
  unknown: number;
  /** Milliseconds from the end of the fault to the first write that was acknowledged. */
  recoveredIn: number | undefined;
  /** Milliseconds that the longest request took. */
  longest: number;
}

/** Milliseconds after the end of a fault in which the service must be back. */
const RECOVERY = 15_000;
const COMPANIES = 3;
const CLIENTS = 12;
/** Writes to get warm, before a fault, and after it. */
const WARM = 400;
const BEFORE = 60;
const AFTER = 60;

/** Clients write, the fault strikes, they write on; then what they have seen is compared with what is stored. */
export async function playRound<S extends Stage>(
  stage: S,
  fault: Fault<S>,
  { name, seed, folder, calm }: { name: string; seed: number; folder: string; calm: Calm },
): Promise<Outcome> {
  const findings: Finding[] = [];
  const found = (kind: Finding['kind']) => (error: unknown) => {
    findings.push({ kind, text: error instanceof Error ? error.message : String(error) });
  };
  const companies: Company[] = [];
  while (companies.length < COMPANIES) companies.push(await foundCompany(stage.service.url, OPERATOR_TOKEN));
  const ids = companies.map(({ id }) => id);
  const file = join(folder, `${name}.witness`);
  const witness = await Witness.open(file);
  let door: string | undefined;
  const options = { url: () => door ?? stage.service.url, witness, companies, clients: CLIENTS, seed, name };

  const load = new Load(options);
  await load.more(BEFORE);
  const chance = chanceOf(seed);
  await fault
    .strike(stage, {
      chance,
      load,
      companies,
      found: (text) => found('wrong')(text),
      through: (other) => (door = other),
    })
    .catch(found('wrong'));
  door = undefined;
  if (stage.cluster?.isRunning === false) {
    found('wrong')('PostgreSQL has ended');
    await stage.cluster.start();
  }
  if (!stage.service.isRunning) {
    found('wrong')(`the service has ended: ${stage.service.output.slice(-500)}`);
    await stage.service.start();
  }
  const ended = performance.now();
  const recoveredIn = await load.successAfter(ended, RECOVERY);
  if (recoveredIn !== undefined) await Promise.race([load.more(AFTER), wait(RECOVERY)]);
  await load.stop();
  if (recoveredIn === undefined) {
    found('hung')(`no write succeeds within ${RECOVERY / 1000} s of the end of the fault`);
    // Somebody would have to start it again. So that the rest can be judged, somebody does.
    await stage.service.kill();
    await stage.service.start();
  }
  findings.push(...leaks(calm.footprint, await footprintOf(stage, calm.bystander, calm.footprint)));
  const before = await readWitness(file);
  const first = judge(before, await stage.snapshot(ids), false);
  const unknown = before.filter((told) => outcomeOf(told) === 'unknown');
  await repeatUnknown(
    options,
    unknown.filter(({ sent }) => sent.isOnce && sent.does !== 'read'),
  );
  await witness.close();
  const after = await readWitness(file);
  const second = judge(after, await stage.snapshot(ids), true);
  // Each is told once, though it is seen twice.
  findings.push(...new Map([...first, ...second].map((finding) => [finding.text, finding])).values());
  for (const id of ids) {
    const verified = await manage<{ intact: boolean; reason: string | null }>(
      stage.service.url,
      OPERATOR_TOKEN,
      'audit.verify',
      {},
      id,
    );
    if (!verified.intact) found('half-done')(`the trail of company ${id} does not verify: ${verified.reason}`);
  }
  if (findings.length === 0) rmSync(file);
  const outcomes = before.map(outcomeOf);
  const count = (of: string) => outcomes.filter((outcome) => outcome === of).length;
  return {
    findings,
    acknowledged: count('acknowledged'),
    refused: count('refused'),
    unknown: count('unknown'),
    recoveredIn,
    longest: Math.max(...before.flatMap(({ came }) => came.map(({ took }) => took))),
  };
}

/** What the service takes when it has been asked everything once and nothing has gone wrong. */
export interface Calm {
  footprint: Footprint;
  /** A company that no load has, for whom it is measured. */
  bystander: Company;
}

export async function warmUp(stage: Stage, { seed, folder }: { seed: number; folder: string }): Promise<Calm> {
  const found = () => foundCompany(stage.service.url, OPERATOR_TOKEN);
  const companies = [await found(), await found()];
  const witness = await Witness.open(join(folder, 'warm-up.witness'));
  const load = new Load({ url: () => stage.service.url, witness, companies, clients: CLIENTS, seed, name: 'warm-up' });
  await load.more(WARM);
  await load.stop();
  await witness.close();
  const bystander = await found();
  return { bystander, footprint: await footprintOf(stage, bystander) };
}
