/**
 * The fonts of printed pages: DejaVu, which may be embedded freely and holds Latin, Greek, Cyrillic, arrows, mathematical
 * signs and the shapes of the roles. Condensed, because tables are what these pages mostly hold.
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const fontNames = ['body', 'bold', 'italic', 'mono'] as const
export type FontName = (typeof fontNames)[number]

const files: Readonly<Record<FontName, string>> = {
  body: 'DejaVuSansCondensed.ttf',
  bold: 'DejaVuSansCondensed-Bold.ttf',
  italic: 'DejaVuSansCondensed-Oblique.ttf',
  mono: 'DejaVuSansMono.ttf',
}

/** What a drawing names, so that an editor finds the same font, or one like it. */
export const figureFontFamily = "'DejaVu Sans Condensed', 'DejaVu Sans', system-ui, sans-serif"

/** @returns the path of the font's file, wherever the program's packages are */
export function fontFile(name: FontName): string {
  return require.resolve(`dejavu-fonts-ttf/ttf/${files[name]}`)
}
