import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    // Some tests start several processes, and a machine may be loaded.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Journeys and the command line start processes of their own: more workers would only wait for each other.
    maxWorkers: 2,
  },
})
