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

const COMPLIANCE_SUITES = [
  'interface-blockstore-tests', 'interface-datastore-tests', '@libp2p/interface-compliance-tests'
]

/** The compliance suites import it and do not bring it along. */
const WITH_CHAI = { alias: { 'aegir/chai': fileURLToPath(new URL('test/support/aegir-chai.ts', import.meta.url)) } }

/** Unit suites that do not run in Chromium, and why. */
const NODE_ONLY = [
  // native implementations, addons and worker threads, or frames that only Node's zlib makes
  'packages/codecs/test/{create-codec,deflate-stream,fuzz,hostile,pool,race-abort,stream-hostile}.test.ts',
  'packages/codecs/test/{workers,zstd-native}.test.ts',
  'packages/core/test/streams.test.ts',
  // Node's streams as sources, and listeners of a signal, which only Node counts
  'packages/core/test/{add-all,compress-ahead,fetch,fetch-window,file-pieces}.test.ts',
  // where zlib writes
  'packages/codecs/test/into.test.ts',
  // which threads of Node's pool are left for files
  'packages/core/test/background-codec.test.ts',
  // which memory is freed, which is the same code in browsers, but for what zlib made
  'packages/{blockstore-compressed/test/memory,core/test/{buffer-pool,release-frames,transient}}.test.ts',
  // servers on loopback, and nodes that listen there
  'packages/core/test/{gateway-pieces,http-source,peer-gateways}.test.ts',
  'packages/core/test/{libp2p-internals,open-at-once,quicken-streams}.test.ts',
  // the bytes of Kubo's own tests are made by a cipher of node:crypto
  'packages/core/test/kubo-layouts.test.ts',
  // how many blocks are read ahead, damage that is found by arithmetic, and indexes and wrappers that servers keep
  'packages/core/test/{hostile-tree,memory,originals,wrapped-blockstore}.test.ts',
  'packages/blockstore-compressed/test/hostile.test.ts',
  // which parts of a base are in memory, and writing: golden.test.ts reads both in browsers too
  'packages/core/test/{base-reader,cover,dictionaries}.test.ts',
  // what `auto` chooses, which test/demo compares with Node
  'packages/core/test/auto.test.ts',
  // test/browser runs it on IndexedDB, which takes as long again
  'packages/blockstore-compressed/test/compliance.test.ts',
  // Node's servers and sockets
  'packages/gateway/test/{connection-limit,hosts,libp2p,node,node-responses,request-limits}.test.ts',
  'packages/gateway/test/{trusted-proxies,tunnel}.test.ts',
  // thousands of timers, which browsers hold back
  'packages/gateway/test/fairness.test.ts',
  // a clock that stands still, beside Node's setImmediate
  'packages/gateway/test/held-memory.test.ts',
  // all ranges of many files: a browser takes ten times as long
  'packages/gateway/test/car-range.test.ts',
  // hundreds of megabytes of zeros, decompressed
  'packages/core/test/{base-cost,frame-groups,region-table}.test.ts',
  // what is sent compressed is decompressed with node:zlib
  'packages/gateway/test/{block,compress,compressor,file,stored-file}.test.ts',
  // files on disk, with modes, holes and names: a browser has none
  'packages/blockstore-compressed/test/{inner-files,shared-fs-blockstore,shared-fs-power-cut}.test.ts',
  'packages/{codecs/test/block-file-reader,core/test/block-files}.test.ts'
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

/** Node loads the built packages itself, and once. */
const BUILT = [/\/packages\/[^/]+\/dist\//]

// tests start Node some hundred times: each start compiles what the one before it has compiled
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'ipfsz-tests-compile-cache')

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: 'slow',
        description: 'Takes seconds: kills, locks and memory of processes, stress, large files, every combination. ' +
          'npm test leaves it out, npm run test:slow runs it'
      }
    ],
    // unit, integration and pages together, then one project after the other (`groupOrder`)
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'bench/test/**/*.test.ts'],
          exclude: BROWSER_ONLY,
          testTimeout: TIMEOUT,
          hookTimeout: TIMEOUT,
          expect: EXPECT,
          maxWorkers: WORKERS,
          ...SHARED,
          server: { deps: { inline: COMPLIANCE_SUITES } }
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
          testTimeout: TIMEOUT,
          expect: EXPECT,
          hookTimeout: TIMEOUT,
          maxWorkers: WORKERS,
          ...SHARED,
          server: { deps: { external: BUILT } }
        }
      },
      // needs zstd, gzip, lz4, lzop, brotli, python3-snappy, curl, Firefox, Chromium and ipfs
      {
        test: {
          name: 'interop',
          include: ['test/interop/**/*.test.ts'],
          globalSetup: BUNDLED_COMMAND,
          testTimeout: TIMEOUT,
          expect: EXPECT,
          hookTimeout: TIMEOUT,
          maxWorkers: WORKERS,
          ...SHARED,
          sequence: { groupOrder: 1 }
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
          maxWorkers: WORKERS
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
          sequence: { groupOrder: 4 }
        }
      },
      // tests that run inside Chromium, with the unit suites: files of those are in IndexedDB there
      {
        test: {
          name: 'browser',
          include: [
            'packages/{errors,codecs,core,blockstore-compressed,gateway,verified-fetch}/test/**/*.test.ts',
            'test/browser/**/*.test.ts'
          ],
          exclude: NODE_ONLY,
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
          sequence: { groupOrder: 2 },
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
