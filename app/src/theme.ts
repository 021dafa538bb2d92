import {
  Button,
  Combobox,
  Menu,
  Modal,
  Select,
  Table,
  Tooltip,
  createTheme,
  localStorageColorSchemeManager,
  type CSSVariablesResolver,
} from '@mantine/core';

/** The script in index.html reads the same key. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'colour-scheme' });

const SYSTEM_FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** Where menus, lists of options and tooltips are in the page: what assistive technology offers is within a landmark. */
const IN_LANDMARK = { target: 'main' };

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: SYSTEM_FONTS,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  headings: {
    fontFamily: SYSTEM_FONTS,
    fontWeight: '600',
    sizes: { h1: { fontSize: '18px' }, h2: { fontSize: '15px' } },
  },
  colors: {
    dark: [
      '#dfe2e7',
      '#b4bac4',
      '#8f959f',
      '#636a75',
      '#3b414a',
      '#2c3138',
      '#1f2328',
      '#16181c',
      '#111316',
      '#0c0e10',
    ],
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs', fz: 'sm', fw: 500 } }),
    // A closed list is not a second control with the label of its field.
    Combobox: Combobox.extend({ defaultProps: { keepMounted: false, portalProps: IN_LANDMARK } }),
    // A dialog's header is not a banner of the page.
    Modal: Modal.extend({
      defaultProps: {
        attributes: { header: { role: 'none' } },
        classNames: { title: 'dialog-title' },
        closeButtonProps: { 'aria-label': 'Close' },
        radius: 'lg',
      },
    }),
    // A menu has nothing but its items.
    Menu: Menu.extend({ defaultProps: { portalProps: IN_LANDMARK, withInitialFocusPlaceholder: false } }),
    // The list of options exists only while it is open: it has the same accessible name as the field.
    Select: Select.extend({ defaultProps: { comboboxProps: { keepMounted: false } } }),
    Table: Table.extend({ defaultProps: { fz: 'sm' } }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 300,
        events: { hover: true, focus: true, touch: true },
        portalProps: IN_LANDMARK,
      },
    }),
  },
});

/** Colours of texts with a contrast of at least 4.5:1 (WCAG 2.2 AA), which the defaults of Mantine miss. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b626a',
    '--mantine-color-placeholder': '#6a7078',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-text': '#1d2127',
    '--mantine-color-indigo-light-hover': '#d0dbff',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a9b3',
    '--mantine-color-placeholder': '#8f959f',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#91a7ff',
  },
});
