/** The window's few icons, drawn in the colour of the text around them. Always beside a word or a label. */

const paths = {
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6l7.5-4.8z',
  stop: 'M4 4h8v8H4z',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.5 10.5l3 3',
  close: 'M4 4l8 8M12 4l-8 8',
  right: 'M6 3.5L10.5 8L6 12.5',
  copy: 'M5.5 5.5h7v8h-7zM10 5.5v-3H3v8h2.5',
  folder: 'M2 4h4l1.5 1.5H14V13H2z',
  reset: 'M3.5 8a4.5 4.5 0 1 0 1.5-3.4M3.2 2.5v3h3',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill={name === 'play' || name === 'stop' ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
