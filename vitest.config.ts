import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Journeys and the command line start processes of their own: more workers would only wait for each other.
    maxWorkers: 2,
  },
})
