import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import { rendererConfig } from './build/renderer-config.ts'

export default defineConfig({
  main: {
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
