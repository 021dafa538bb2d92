import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Meta } from '../../procedures/core/declaration/meta.ts';
import { ConfigError } from '../../server/config/settings.ts';
import { targetCell, targetUrl } from './cells.ts';
import type { Cell } from './cells.ts';
import { abortMove, moveCompany } from './steps.ts';

interface MoveOptions {
  /** The cell that has the company. */
  source: () => Promise<Cell>;
  /** Value of `--company`. */
  company: string | undefined;
  /** `TARGET_OPERATOR_TOKEN`. */
  targetToken: string | undefined;
}

/** Creates the command that moves a company to another cell, step by step. Killed at any point, it can be run again. */
export function moveCommand({ source, company, targetToken }: MoveOptions) {
  const t = initTRPC.meta<Meta>().create();
  return t.procedure
    .meta({ description: 'Move a company to another cell, with everything that belongs to it; or give a move up' })
    .input(
      z.object({
        to: z.string().optional().describe('URL of the other cell'),
        abort: z.boolean().default(false).describe('Give the move up before its switch'),
      }),
    )
    .mutation(async ({ input: { to, abort } }) => {
      if (company === undefined || !/^[1-9]\d{0,9}$/.test(company))
        throw new ConfigError('--company: expected the id of the company to move');
      const id = Number(company);
      if (abort) return abortMove(await source(), id, (url) => targetCell(url, targetToken));
      if (to === undefined) throw new ConfigError('--to: expected the URL of the other cell');
      return moveCompany(await source(), targetCell(targetUrl(to), targetToken), id);
    });
}
