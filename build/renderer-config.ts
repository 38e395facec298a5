/** How the window's page is built, for Electron and for browsers alike. */
import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'

/** From the working directory, the checkout's root: bundling this file into a configuration moves its own folder. */
const root = resolve('src', 'renderer')

export const rendererConfig = {
  root,
  plugins: [react()],
  build: { minify: true, rollupOptions: { input: resolve(root, 'index.html') } },
} satisfies UserConfig
