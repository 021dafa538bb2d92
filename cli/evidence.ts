import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../procedures/core/declaration/meta.ts';
import type { CallServer } from './remote.ts';
import {
  AdoptedOutput,
  LocationOutput,
  MovedOutput,
  ProblemOutput,
  VerifiedOutput,
} from '../procedures/management/evidence.ts';

/** Creates the commands for the files of evidence. They call the server step by step, so that no request takes long. */
export function evidenceCommands(call: CallServer) {
  const t = initTRPC.meta<Meta>().create();
  const command = (description: string) => t.procedure.meta({ description });
  return {
    verify: command(
      'Read every file, compare its size and SHA-256, and list missing, different and superfluous files with their evidence',
    ).query(async () => {
      const result = { files: 0, bytes: 0, problems: new Array<z.infer<typeof ProblemOutput>>() };
      for (let position: object | null = {}; position !== null;) {
        const verified = VerifiedOutput.parse(await call('evidence.verify', { position }));
        result.files += verified.files;
        result.bytes += verified.bytes;
        result.problems.push(...verified.problems);
        position = verified.next;
      }
      for (const location of z.array(LocationOutput).parse(await call('evidence.stores')))
        result.problems.push(...z.array(ProblemOutput).parse(await call('evidence.unknown', location)));
      if (result.problems.length > 0) process.exitCode = 1;
      return result;
    }),
    move: command('Move every file to the current store, with its current bucket and prefix').mutation(async () => {
      let moved = 0;
      for (let isDone = false; !isDone;) {
        const step = MovedOutput.parse(await call('evidence.move'));
        moved += step.moved;
        ({ isDone } = step);
      }
      await call('evidence.removeMoved');
      return { moved };
    }),
    adopt: command('After a restore, record the bucket and prefix of STORAGE_URL for all files in S3').mutation(
      async () => {
        let adopted = 0;
        for (let step = 1; step > 0; adopted += step) step = AdoptedOutput.parse(await call('evidence.adopt')).adopted;
        return { adopted };
      },
    ),
  };
}
