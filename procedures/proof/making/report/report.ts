import type { Session } from '../../../../database/session.ts';
import type { ProofContents } from '../make.ts';
import type { Registers } from '../register-files.ts';

/** The report: one page for reading and printing. */
export async function* reportText(
  _session: Session,
  { from, asOf }: ProofContents,
  registers: Registers,
  _missing: readonly object[],
): AsyncGenerator<string> {
  yield `<!doctype html><title>${registers.company.id} ${from ?? ''} ${asOf}</title>\n`;
}
