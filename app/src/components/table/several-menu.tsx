import { Button, Menu } from '@mantine/core';
import type { Options } from './options.ts';

interface SeveralMenuProps {
  /** Name of the filter. */
  label: string;
  options: Options;
  /** Chosen values, separated by commas. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter with several values, which a person checks in a menu. */
export const SeveralMenu = ({ label, options, value, onChange }: SeveralMenuProps) => (
  <Menu withInitialFocusPlaceholder={false} position="bottom-start" shadow="md" closeOnItemClick={false}>
    <Menu.Target>
      <Button variant="default">{label}</Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.CheckboxGroup
        value={value?.split(',') ?? []}
        onChange={(chosen) =>
          onChange(
            options
              .map((option) => option.value)
              .filter((one) => chosen.includes(one))
              .join(),
          )
        }
      >
        {options.map((option) => (
          <Menu.CheckboxItem key={option.value} value={option.value}>
            {option.label}
          </Menu.CheckboxItem>
        ))}
      </Menu.CheckboxGroup>
    </Menu.Dropdown>
  </Menu>
);
