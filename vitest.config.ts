import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    // Compute tests own an onnxruntime each: processes, never worker threads.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
  },
})
