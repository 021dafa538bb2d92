import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../../api/client.ts';

interface FrameworksFieldProps {
  name: string;
  /** Ids as text. None means all frameworks. */
  value: string[];
  onChange: (value: string[]) => void;
  error?: string | undefined;
}

/** The frameworks to which an API key or a member is limited: `<FrameworksField {...form.field('frameworks')} />`. */
export function FrameworksField({ name, value, onChange, error }: FrameworksFieldProps) {
  const { data = [] } = useQuery(trpc.framework.list.queryOptions());
  return (
    <MultiSelect
      label="Frameworks"
      description="Leave empty for all frameworks"
      placeholder={value.length === 0 ? 'All' : ''}
      name={name}
      data={data.map((framework) => ({ value: String(framework.id), label: framework.name }))}
      value={value}
      error={error}
      onChange={onChange}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear frameworks' }}
      nothingFoundMessage="No framework has this name"
      comboboxProps={{ keepMounted: false }}
    />
  );
}

/** Frameworks of the API from the values of the field, and back. */
export const toFrameworks = (values: readonly string[]): number[] | null =>
  values.length === 0 ? null : values.map(Number);
export const fromFrameworks = (frameworks: readonly number[] | null): string[] => (frameworks ?? []).map(String);
