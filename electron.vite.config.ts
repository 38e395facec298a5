import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { rendererConfig } from './build/renderer-config.ts'

/**
 * Our sources are ES modules throughout. The CommonJS names that electron-vite declares in every chunk would only collide
 * with a `require` that a module makes for itself.
 */
const noCommonJsNames: Plugin = {
  name: 'no-commonjs-names',
  configResolved({ plugins }) {
    for (const plugin of plugins) if (plugin.name === 'vite:esm-shim') delete plugin.renderChunk
  },
}

export default defineConfig({
  main: {
    plugins: [noCommonJsNames],
    build: {
      rollupOptions: {
        input: {
          index: resolve('src/main/index.ts'),
          cli: resolve('src/main/cli/index.ts'),
          // Processes of their own: the training engine, and what is loaded into it before its entry.
          'stage-process': resolve('src/main/engine/stage-process.ts'),
          'stage-preload': resolve('src/main/jobs/stage-preload.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      rollupOptions: {
        input: { index: resolve('src/preload/index.ts') },
        // A sandboxed preload must be CommonJS.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: rendererConfig,
})
