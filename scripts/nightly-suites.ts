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
    | { project: 'unit' | 'integration' | 'interop' | 'browser' | 'demo', files: readonly string[] }
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
const CORE = ['packages/core/src/**', ...CODECS]
const REPO = ['packages/cli/src/{repo,locks,disk}/**']
const NETWORK = ['packages/cli/src/{network,daemon}/**']
const SHARED_STORE = [
  'packages/cli/src/store/**', 'packages/blockstore-s3/src/**', 'packages/blockstore-compressed/src/fs/**'
]

export const NIGHTLY: Readonly<Record<string, NightlySuite>> = {
  // a store on the engines that operators have
  ceph: {
    runs: [{ project: 'interop', files: ['test/interop/ceph.test.ts'] }],
    minutes: 2,
    guards: ['test/interop/ceph/*', ...SHARED_STORE]
  },
  gluster: {
    runs: [{ project: 'interop', files: ['test/interop/gluster.test.ts'] }],
    minutes: 1,
    guards: ['test/interop/gluster/*', ...SHARED_STORE]
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
  // two processes on one repo, of which one is killed a thousand times
  torture: {
    runs: [{ script: 'scripts/torture.ts' }],
    minutes: 20,
    guards: ['scripts/torture/*', ...REPO]
  },
  // at any moment, and with every disk that may result
  'kills-and-power-cuts': {
    runs: [
      {
        project: 'integration',
        files: ['test/integration/{compressed-blockstore-processes,links-kill,power-cut,power-cut-disk}.test.ts']
      }
    ],
    minutes: 3,
    guards: [
      'test/integration/{add-and-link,compressed-blockstore-process,linked-files}.ts', 'test/support/power-cut.ts',
      'packages/blockstore-compressed/src/convert/**', 'packages/core/src/links/**', ...REPO
    ]
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
  // millions of blocks in a frame, bombs of a gigabyte, and what they leave in memory
  'hostile-frames': {
    runs: [{ project: 'unit', files: ['packages/codecs/test/hostile.test.ts'] }],
    minutes: 2,
    guards: CODECS
  },
  // large files, and every codec with every goal
  core: {
    runs: [
      { project: 'unit', files: ['packages/core/test/{auto,late-base,streams}.test.ts'] },
      { project: 'integration', files: ['test/integration/sizes.test.ts'] }
    ],
    minutes: 3,
    guards: CORE
  },
  // how much memory processes take, for files of a gigabyte, large trees and hostile ones
  memory: {
    runs: [
      { project: 'unit', files: ['packages/cli/test/{multihash-map,tree-memory}.test.ts'] },
      { project: 'integration', files: ['test/integration/{memory,memory-strangers}.test.ts'] }
    ],
    minutes: 3,
    guards: ['packages/cli/src/{dag,disk,commands}/**', ...CORE]
  },
  // many clients, slow links, networks that are lost, and hundreds of megabytes to and from Kubo
  network: {
    runs: [
      { project: 'integration', files: ['test/integration/{network-clients,slow-link}.test.ts'] },
      { project: 'interop', files: ['test/interop/{kubo-network,lost-network}.test.ts'] }
    ],
    minutes: 3,
    guards: ['packages/cli/src/siblings/**', ...NETWORK]
  },
  // the stream muxer's compliance suite in Chromium, with the codec that is the same in Node
  connections: {
    runs: [{ project: 'browser', files: ['test/browser/libp2p-compression.test.ts'] }],
    minutes: 1,
    guards: ['packages/libp2p-compression/src/**']
  },
  // sites in browsers: in Firefox too, and what is shown where something is missing
  sites: {
    runs: [
      { project: 'interop', files: ['test/interop/{firefox-pages,kubo-site,service-worker,site}.test.ts'] }
    ],
    minutes: 2,
    guards: [
      'test/interop/published-site*.ts', 'packages/gateway/src/service-worker/**', 'packages/cli/src/site/**',
      'examples/{dataset,media}/**'
    ]
  },
  // the demo: on phones, without a network, with hostile input, shared links, films
  demo: {
    runs: [
      { project: 'demo', files: ['test/demo/{access,drop,media,share,static-host,trouble}.test.ts'] }
    ],
    minutes: 2,
    guards: ['examples/web-app/**', 'test/demo/open-demo.ts']
  },
  // every level and option of the tools that others use
  'reference-tools': {
    runs: [{ project: 'interop', files: ['test/interop/{reference-tools,streams}.test.ts'] }],
    minutes: 2,
    guards: CODECS
  },
  // every store in every setting
  blockstores: {
    runs: [
      { project: 'unit', files: ['packages/blockstore-compressed/test/compliance.test.ts'] },
      { project: 'interop', files: ['test/interop/kubo.test.ts'] }
    ],
    minutes: 1,
    guards: ['packages/blockstore-compressed/src/**']
  },
  // ten thousand requests, and HEAD of every file under every URL
  gateway: {
    runs: [
      { project: 'unit', files: ['packages/gateway/test/head.test.ts'] },
      { project: 'integration', files: ['test/integration/gateway-load.test.ts'] }
    ],
    minutes: 2,
    guards: ['packages/gateway/src/**', 'packages/cli/src/gateway/**', 'test/integration/load-kinds.ts']
  },
  benchmarks: {
    runs: [
      { project: 'unit', files: ['bench/test/{at-exit,run}.test.ts'] },
      { script: 'bench/run.ts', args: ['all', '--smoke'] }
    ],
    minutes: 5,
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
