/**
 * Which suites guard which files. `.ci/run` always runs those of ALWAYS, and those of NIGHTLY that are due: whose stamp
 * is not the hash of what they guard now (scripts/nightly.ts). Paths are globs of git: `*` stays in a folder, `**` does
 * not. test/integration/nightly.test.ts checks that every file of the repository is guarded, and every glob in use.
 *
 * `node scripts/nightly.ts --who FILE` lists the suites that guard a file.
 */

/** A suite that takes long, or needs gigabytes or other programs. */
export interface NightlySuite {
  /** What runs, after a build, one after the other: the tests with the tag `nightly` in some files, or a script. */
  runs: ReadonlyArray<
    | { project: 'unit' | 'integration' | 'interop', files: readonly string[] }
    | { script: string, args?: readonly string[] }
  >
  /** How long it takes on two quiet cores. */
  minutes: number
  /** What makes it due when it changes, besides what it runs, and COMMON. */
  guards: readonly string[]
}

/** What makes every nightly suite due: other versions of dependencies. */
export const COMMON: readonly string[] = ['package-lock.json']

// what several suites guard
const CODECS = ['packages/codecs/src/**', 'packages/codecs/assembly/**']
const CORE = ['packages/core/src/**']
const REPO = ['packages/cli/src/repo/**', 'packages/cli/src/locks/**', 'packages/cli/src/disk/**']
const SHARED_STORE = [
  'packages/cli/src/store/**', 'packages/blockstore-s3/src/**', 'packages/blockstore-compressed/src/fs/**'
]

export const NIGHTLY: Readonly<Record<string, NightlySuite>> = {
  // a store on the engines that operators have
  ceph: {
    runs: [{ project: 'interop', files: ['test/interop/ceph.test.ts'] }],
    minutes: 2,
    guards: ['test/interop/ceph/**', ...SHARED_STORE]
  },
  gluster: {
    runs: [{ project: 'interop', files: ['test/interop/gluster.test.ts'] }],
    minutes: 1,
    guards: ['test/interop/gluster/**', ...SHARED_STORE]
  },
  cassandra: {
    runs: [{ script: 'bench/run.ts', args: ['site', '--smoke', '--plan', 'full', '--only', 'ipfsz-cassandra'] }],
    minutes: 2,
    guards: ['bench/support/site/*']
  },
  soak: {
    runs: [{ script: 'scripts/soak.ts' }],
    minutes: 15,
    guards: ['scripts/soak/*', ...SHARED_STORE]
  },
  // two processes on one repo, one killed a thousand times
  torture: {
    runs: [{ script: 'scripts/torture.ts' }],
    minutes: 20,
    guards: ['scripts/torture/*', ...REPO]
  },
  // thousands of orders in which nodes add and collect
  schedules: {
    runs: [{ project: 'unit', files: ['packages/cli/test/store-{model,schedules}.test.ts'] }],
    minutes: 1,
    guards: ['packages/cli/test/store-*.ts', 'packages/cli/src/store/**']
  },
  // a hundred thousand mutated frames for every decoder
  fuzz: {
    runs: [{ script: 'packages/codecs/scripts/fuzz.ts' }],
    minutes: 10,
    guards: ['packages/codecs/test/fuzz.ts', ...CODECS]
  },
  benchmarks: {
    runs: [{ script: 'bench/run.ts', args: ['all', '--smoke'] }],
    minutes: 4,
    guards: ['bench/*', 'bench/{support,test}/**']
  }
}

/** By the name of the script in package.json. Packages are named, so that no new one is forgotten. */
export const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  // types, lint, unused code, documents, packages as they are published, installs, examples
  'suite:check': ['*', '.ci/*', 'docs/**', 'examples/**', 'scripts/*', 'scripts/nightly/*', 'site/**'],
  // in Node, and the pages that bundlers build
  'suite:test': [
    'packages/errors/**',
    'packages/codecs/**',
    'packages/core/**',
    'packages/blockstore-compressed/**',
    'packages/blockstore-s3/**',
    'packages/libp2p-compression/**',
    'packages/gateway/**',
    'packages/verified-fetch/**',
    'packages/cli/**',
    'bench/**',
    'scripts/{soak,torture}/*',
    'examples/{dataset,media}/**',
    'test/integration/**',
    'test/pages/**',
    'test/support/**',
    'test/upstream/**'
  ],
  // what differs in browsers, and the demo
  'suite:browser': [
    'packages/codecs/src/{platform,workers,runtime,impl,stream}/**',
    'packages/libp2p-compression/src/platform/*',
    'packages/gateway/src/service-worker/**',
    'packages/cli/src/site/**',
    'examples/web-app/**',
    'site/**',
    'test/browser/**',
    'test/demo/**'
  ],
  // beside Kubo, Helia, reference tools, S3, Firefox
  'suite:interop': ['packages/blockstore-s3/**', 'packages/cli/src/{kubo,network}/**', 'test/interop/**']
}
