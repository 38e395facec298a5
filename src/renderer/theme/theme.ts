/** Mantine in the product's own colours: one accent, system font, small radii, text that keeps its contrast. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/** Around the policy's blue: 7 carries white text, 3 and 4 are legible on dark paper. */
const accent: MantineColorsTuple = [
  '#eef3fe',
  '#dbe5fd',
  '#b7cbfb',
  '#93b4ff',
  '#7aa7ff',
  '#4d80ef',
  '#2f66e3',
  '#1d4ed8',
  '#1a43b8',
  '#163897',
]

const system = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif'

/** Greys that agree with the tokens; the fourth edges fields and boxes, so it keeps 3:1 against the paper. */
const dark: MantineColorsTuple = [
  '#e7eaee',
  '#c8ced6',
  '#a5adb8',
  '#8b949f',
  '#69727d',
  '#2a3037',
  '#1a1e23',
  '#14171b',
  '#101316',
  '#0b0d0f',
]
const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eceef1',
  '#e6e9ec',
  '#d5d9de',
  '#858d97',
  '#6d7580',
  '#565d66',
  '#3f454c',
  '#2b3036',
  '#1a1d21',
]

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 7,
  colors: { accent, dark, gray },
  fontFamily: system,
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '0.75rem', sm: '0.84rem', md: '0.9rem', lg: '1rem', xl: '1.15rem' },
  defaultRadius: 'sm',
  headings: {
    fontFamily: system,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.4rem', lineHeight: '1.25' },
      h2: { fontSize: '1.1rem', lineHeight: '1.3' },
      h3: { fontSize: '0.95rem', lineHeight: '1.35' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs', hideControls: true } },
    Select: { defaultProps: { size: 'xs', allowDeselect: false } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    SegmentedControl: { defaultProps: { size: 'sm' } },
    Table: { defaultProps: { verticalSpacing: 5, horizontalSpacing: 'sm', fz: 'sm' } },
    Text: { defaultProps: { size: 'sm' } },
    Anchor: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 350, multiline: true, maw: 320, withArrow: true } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
  },
})

export const cssVariables: CSSVariablesResolver = () => {
  const both = {
    '--mantine-color-body': 'var(--paper)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--muted)',
    '--mantine-color-placeholder': 'var(--muted)',
    '--mantine-color-default': 'var(--raised)',
    '--mantine-color-default-hover': 'var(--panel)',
    '--mantine-color-default-border': 'var(--line)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-anchor': 'var(--policy)',
    '--mantine-color-gray-light-color': 'var(--ink)',
    '--mantine-color-gray-text': 'var(--muted)',
    '--mantine-color-gray-outline': 'var(--muted)',
    '--mantine-color-accent-light': 'var(--accent-soft)',
    '--mantine-color-accent-light-color': 'var(--policy)',
    '--mantine-color-accent-text': 'var(--policy)',
    '--mantine-color-accent-outline': 'var(--policy)',
  }
  return { variables: {}, light: both, dark: both }
}
