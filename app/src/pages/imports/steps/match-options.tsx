import { NativeSelect, TextInput } from '@mantine/core';
import type { Kind } from '../file/facts.ts';
import type { OptionsForm } from './use-options.ts';

const MODES = [
  { value: 'merge', label: 'Keep the present value' },
  { value: 'replace', label: 'Set the default value' },
] as const satisfies readonly { value: OptionsForm['values']['mode']; label: string }[];

/** Options of a file whose rows have ids of another system. */
export function MatchOptions({ kind, form }: { kind: Kind; form: OptionsForm }) {
  return (
    <div className="import-options">
      <TextInput
        label="Source"
        description={`The system of the external ids, for example erp. A row with a known id then changes its ${kind}. Without a source, every row creates a ${kind}.`}
        {...form.text('source')}
      />
      {form.values.source !== '' && (
        <NativeSelect
          label="Empty cells and missing columns"
          description={`In rows that change a ${kind}`}
          data={MODES}
          {...form.text('mode')}
          onChange={({ currentTarget }) => form.set('mode', currentTarget.value === 'merge' ? 'merge' : 'replace')}
        />
      )}
    </div>
  );
}
