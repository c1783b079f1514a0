import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './test/support/summary-reporter.ts'

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          testTimeout: 60_000,
          server: { deps: { inline: ['interface-blockstore-tests'] } }
        },
        // the compliance suite imports it and does not bring it along
        resolve: { alias: { 'aegir/chai': fileURLToPath(new URL('packages/cli/test/aegir-chai.ts', import.meta.url)) } }
      },
      // the built packages, as their users run them
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 } },
      // needs zstd, gzip, lz4, brotli and ipfs on the PATH
      { test: { name: 'interop', include: ['test/interop/**/*.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 } }
    ]
  }
})
