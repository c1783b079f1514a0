import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './test/support/summary-reporter.ts'

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    projects: [
      { test: { name: 'unit', include: ['packages/*/test/**/*.test.ts'], testTimeout: 60_000 } },
      // the built packages, as their users run them
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 } },
      // needs zstd, gzip, lz4, brotli and ipfs on the PATH
      { test: { name: 'interop', include: ['test/interop/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 } }
    ]
  }
})
