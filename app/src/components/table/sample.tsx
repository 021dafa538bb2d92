import { Button, NumberInput, Text, TextInput } from '@mantine/core';
import { InputError } from '../../api/errors.ts';
import { openDialog } from '../form/dialog.tsx';

/** A sample of the rows of a list, which anybody can recompute. */
export interface Sample {
  count: number;
  seed: string;
}

/** Rows that a sample may have. */
const MAX_COUNT = 500;
const MAX_SEED_LENGTH = 100;
const DEFAULT_COUNT = 10;

/** Parameters of the URL of a sample. */
export const SAMPLE_PARAMETERS = ['sort', 'seed', 'sample'] as const;

type Texts = Readonly<Record<string, string | undefined>>;

/** The sample of the URL; undefined without one. */
export function sampleIn({ sort, seed, sample = '' }: Texts): Sample | undefined {
  const count = Number(sample);
  const isCount = /^\d+$/.test(sample) && count >= 1 && count <= MAX_COUNT;
  return sort === 'sample' && seed !== undefined && isCount ? { count, seed } : undefined;
}

/** Parameters that end a sample, and its order with it. */
export const WITHOUT_SAMPLE = { sort: undefined, seed: undefined, sample: undefined } as const;

/** Order of the API. */
export const sampleOrder = (sample: Sample | undefined) =>
  sample === undefined ? {} : { sort: 'sample' as const, seed: sample.seed };

/** Rows of an export, and its order. */
export const sampleExport = (sample: Sample | undefined) =>
  sample === undefined ? {} : { ...sampleOrder(sample), limit: sample.count };

/** "Sample of 10, seed k3v9" */
export const sampleText = ({ count, seed }: Sample): string => `Sample of ${count.toLocaleString('en')}, seed ${seed}`;

const SEED_BYTES = 5;

/** A seed that nobody chose. */
const randomSeed = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SEED_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

interface SampleButtonProps {
  sample: Sample | undefined;
  /** "tasks" */
  noun: string;
  onChange: (search: Record<string, string>) => void;
}

/** Asks for the number of rows and the seed of a sample. */
export function SampleButton({ sample, noun, onChange }: SampleButtonProps) {
  const open = () =>
    openDialog<{ sample: string | number; seed: string }>({
      title: `Sample of ${noun}`,
      text: 'The sample is taken from the rows that match the filters of the list. With the same number and seed, everybody gets the same sample.',
      initial: { sample: sample?.count ?? DEFAULT_COUNT, seed: sample?.seed ?? randomSeed() },
      fields: (form) => (
        <>
          <NumberInput label="Number" data-autofocus min={1} max={MAX_COUNT} {...form.field('sample')} />
          <TextInput
            label="Seed"
            description="Any text, for example the date and your name"
            maxLength={MAX_SEED_LENGTH}
            {...form.text('seed')}
          />
        </>
      ),
      button: 'Show sample',
      submit: async ({ sample: count, seed }) => {
        if (seed === '') throw new InputError('seed: enter any text');
        const search = { sort: 'sample', seed, sample: String(count) };
        if (sampleIn(search) === undefined) throw new InputError(`sample: enter a number from 1 to ${MAX_COUNT}`);
        onChange(search);
      },
    });
  return (
    <Button variant="default" onClick={open}>
      Sample
    </Button>
  );
}

interface SampleSentenceProps {
  sample: Sample;
  /** Number of rows that match the filters; undefined while it loads. */
  total: number | undefined;
  unit: readonly [one: string, many: string];
}

/** How anybody recomputes a sample. */
export const SampleSentence = ({ sample: { count, seed }, total, unit: [one, many] }: SampleSentenceProps) => (
  <Text size="xs" c="dimmed" mb="xs">
    To recompute it, take the SHA-256 of “{seed}:” and the id of each {one}
    {total !== undefined && `, of the ${total.toLocaleString('en')} ${total === 1 ? one : many} that match`}, in hex.
    The sample has the first {count.toLocaleString('en')} in the order of these texts.
  </Text>
);
