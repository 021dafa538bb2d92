import { NativeSelect } from '@mantine/core';
import { ROLE_OPTIONS } from './roles.ts';

interface RoleFieldProps {
  name: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

/** `<RoleField {...form.field('role')} />` */
export function RoleField({ name, value, onChange, error }: RoleFieldProps) {
  return (
    <NativeSelect
      label="Role"
      description="Admins manage everything, editors change tasks and vendors, auditors only read"
      name={name}
      data={ROLE_OPTIONS}
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
