import { useServerForm } from '../../../components/form/use-server-form.ts';
import type { ServerForm } from '../../../components/form/use-server-form.ts';
import type { Options } from '../use-imports.ts';

interface Values {
  mode: NonNullable<Options['mode']>;
  source: string;
  strict: boolean;
}

export type OptionsForm = ServerForm<Values>;

const INITIAL: Values = { mode: 'merge', source: '', strict: false };

/** Options of an import: `source` and `mode` in the step "Columns", `strict` in the step "Check". */
export const useOptions = (): OptionsForm => useServerForm(INITIAL);
