import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { nodeForTests } from './test/support/in-browser/plugin.ts'
import { CHROMIUM_FLAGS, findChromium } from './test/support/chromium.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { SummaryReporter } from './test/support/summary-reporter.ts'

/** For tests that start the command. */
const BUNDLED_COMMAND = 'test/support/bundled-command.ts'
/** For tests that start threads. */
const BUNDLED_THREADS = 'test/support/bundled-threads.ts'

const COMPLIANCE_SUITES = [
  'interface-blockstore-tests', 'interface-datastore-tests', '@libp2p/interface-compliance-tests'
]

/** The compliance suites import it and do not bring it along. */
const WITH_CHAI = { alias: { 'aegir/chai': fileURLToPath(new URL('test/support/aegir-chai.ts', import.meta.url)) } }

/**
 * Unit suites that run in Chromium too, and what differs there. Everything else is the same code on the same engine.
 * test/browser has what only a browser has.
 */
const IN_CHROMIUM = [
  // WebAssembly and DecompressionStream instead of zlib, and workers from Blobs
  'packages/codecs/test/{codec,join-members,sealed,skipped,stream,strings,vectors}.test.ts',
  'packages/codecs/test/{zstd-delta,zstd-dictionary,zstd-encode}.test.ts',
  // setTimeout instead of setImmediate; Web Crypto on threads of the browser
  'packages/utils/test/{digest-in-pool,event-loop}.test.ts',
  'packages/core/test/hashes.test.ts',
  // files with each codec of the browser: written, read whole and in ranges, and those that were written once
  'packages/core/test/{add,base,cat,golden,read-twin,with-codecs,workers}.test.ts',
  // how much is read ahead depends on the cores that a page is told
  'packages/core/test/bounded-reader.test.ts',
  // LevelDB on IndexedDB, and files of tests in IndexedDB
  'packages/core/test/links-level.test.ts',
  'packages/blockstore-compressed/test/{convert,store}.test.ts',
  // Request, Response and streams: which headers a page may set, and who cancels a body
  'packages/gateway/test/{body,car,directory,gateway,headers}.test.ts',
  'packages/verified-fetch/test/{answer-ranges,verified-fetch}.test.ts',
  // what runs in a service worker
  'packages/gateway/test/{next-version,service-worker,stored-blocks}.test.ts'
]

/** Unit suites that run in Chromium alone: Node has no IndexedDB. */
const BROWSER_ONLY = ['packages/gateway/test/stored-blocks.test.ts']

/** One more than there are cores: many tests wait for processes, disks and time limits. */
const WORKERS = availableParallelism() + 1

/**
 * The test files of a worker share the modules that they import: with a process for each file, a quarter of
 * the time went into importing Helia and libp2p again. So a test that changes a global restores it.
 */
const SHARED = { isolate: false }

/** Ends a test that hangs, in milliseconds: ten times what the longest takes, as the machine may be busy. */
const TIMEOUT = 600_000
/** What is polled is there within milliseconds, unless the machine is busy. */
const EXPECT = { poll: { timeout: 120_000 } }

/**
 * Node loads the built packages itself, and once. In all projects: they share Vite's modules, so what one has
 * transformed, another may get too, and the process then has the package twice.
 */
const BUILT = { external: [/\/packages\/[^/]+\/dist\//] }

// tests start Node some hundred times: each start compiles what the one before it has compiled
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'ipfsz-tests-compile-cache')

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'long',
        description: 'All tests of a file with more than four seconds of them. npm test leaves it out, CI does not'
      },
      {
        name: 'slow',
        description: 'Takes seconds: kills, locks and memory of processes, stress, large files. ' +
          'npm test leaves it out, npm run test:slow runs it, and CI if what it guards has changed'
      },
      {
        name: 'nightly',
        description: 'Takes gigabytes or long, or needs other programs, or is one of very many combinations. ' +
          'A suite of scripts/nightly-suites.ts runs it'
      }
    ],
    // those in Node together, as many wait for other processes; then those in Chromium, and the demo (`groupOrder`)
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
          exclude: BROWSER_ONLY,
          globalSetup: 'test/support/bundled-sources.ts',
          setupFiles: BUNDLED_THREADS,
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
          expect: EXPECT,
          maxWorkers: WORKERS,
          ...SHARED,
          server: { deps: { ...BUILT, inline: COMPLIANCE_SUITES } }
        },
        resolve: WITH_CHAI
      },
      // the built packages, as their users run them
      {
        test: {
          name: 'integration',
          include: [
            'test/integration/**/*.test.ts',
            'test/upstream/**/*.test.ts',
            'test/browser/deterministic.test.ts'
          ],
          globalSetup: BUNDLED_COMMAND,
          setupFiles: BUNDLED_THREADS,
          testTimeout: TIMEOUT,
          expect: EXPECT,
          hookTimeout: TIMEOUT,
          maxWorkers: WORKERS,
          ...SHARED,
          server: { deps: BUILT }
        }
      },
      // needs zstd, gzip, lz4, lzop, brotli, python3-snappy, curl, Firefox, Chromium and ipfs
      {
        test: {
          name: 'interop',
          include: ['test/interop/**/*.test.ts'],
          globalSetup: BUNDLED_COMMAND,
          setupFiles: BUNDLED_THREADS,
          testTimeout: TIMEOUT,
          expect: EXPECT,
          hookTimeout: TIMEOUT,
          maxWorkers: WORKERS,
          ...SHARED,
          server: { deps: BUILT }
        }
      },
      // pages as bundlers build them, looked at from Node; needs Chromium
      {
        test: {
          name: 'pages',
          include: ['test/pages/**/*.test.ts'],
          globalSetup: 'test/support/need-chromium.ts',
          testTimeout: TIMEOUT,
          expect: EXPECT,
          hookTimeout: TIMEOUT,
          // beside the unit tests: a page mostly waits
          maxWorkers: WORKERS,
          server: { deps: BUILT }
        }
      },
      // the demo page and its peer, used from Node; needs Chromium
      {
        test: {
          name: 'demo',
          include: ['test/demo/**/*.test.ts'],
          globalSetup: [BUNDLED_COMMAND, 'test/support/need-chromium.ts', 'test/demo/build-demo.ts'],
          testTimeout: TIMEOUT,
          expect: EXPECT,
          hookTimeout: TIMEOUT,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          server: { deps: BUILT }
        }
      },
      // tests that run inside Chromium, with some unit suites: files of those are in IndexedDB there
      {
        test: {
          name: 'browser',
          include: [...IN_CHROMIUM, 'test/browser/**/*.test.ts'],
          globalSetup: [
            'test/support/need-chromium.ts',
            'test/browser/libp2p-compression-node.ts',
            'test/browser/gateway-node.ts'
          ],
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
          expect: EXPECT,
          // pages at a time, each of which brings up to eight workers of its own
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: { executablePath: findChromium(), args: CHROMIUM_FLAGS } }),
            instances: [{ browser: 'chromium' }]
          }
        },
        plugins: [nodeForTests()],
        resolve: WITH_CHAI
      }
    ]
  }
})
