/**
 * Which suites guard which files. `.ci/run` always runs those of ALWAYS. Of NIGHTLY it runs those that are due, as many
 * as it has time for: a suite is due if its stamp is not the hash of what it guards now (scripts/nightly.ts).
 *
 * Paths are globs of git: `*` stays in a folder, `**` does not. test/integration/nightly.test.ts checks that every file
 * of the repository is guarded, that every glob matches files, and that a suite runs each test with the tags `slow` and
 * `nightly`. `node scripts/nightly.ts --who FILE` lists the suites that guard a file.
 */

/** The tests in some files that have a tag. Those with both are `nightly`. */
export interface TestRun {
  project: 'unit' | 'integration' | 'interop' | 'pages' | 'browser' | 'demo'
  files: readonly string[]
  /** @default nightly */
  tag?: 'nightly' | 'slow' | 'neither'
}

/** A suite that takes long, or needs gigabytes or other programs. */
export interface NightlySuite {
  /** What runs, after a build, one after the other. */
  runs: ReadonlyArray<TestRun | { script: string, args?: readonly string[] }>
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
const REPO = ['packages/node/src/{repo,locks,disk}/**']
const NETWORK = ['packages/node/src/{network,daemon}/**']
const SHARED_STORE = [
  'packages/shared-store/src/**', 'packages/blockstore-s3/src/**', 'packages/blockstore-compressed/src/fs/**'
]

// what simulations share
const SIMULATED = ['test/support/{random,simulated-disk}.ts']

/** The tests with the tag `slow` of one package in Node. */
function slowTests (name: string): NightlySuite {
  return {
    runs: [{ project: 'unit', files: [`packages/${name}/test/*.test.ts`], tag: 'slow' }],
    minutes: 1,
    guards: [`packages/${name}/src/**`, `packages/${name}/test/**`]
  }
}

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
    minutes: 2,
    guards: [
      'test/integration/{add-and-link,compressed-blockstore-process,linked-files}.ts', 'test/support/power-cut.ts',
      'packages/blockstore-compressed/src/convert/**', 'packages/core/src/links/**', ...REPO
    ]
  },
  // thousands of orders in which nodes add and collect
  schedules: {
    runs: [{ project: 'unit', files: ['packages/shared-store/test/pack-model.test.ts'] }],
    minutes: 4,
    guards: ['packages/shared-store/test/{explore-states,pack-*,store-*}.ts', 'packages/shared-store/src/**']
  },
  // ten thousand orders of nodes on one store of packs, with networks, disks and clocks that fail
  'store-simulation': {
    runs: [{
      project: 'unit', files: ['packages/node/test/{planted-store-faults,store-simulation}.test.ts']
    }],
    minutes: 20,
    guards: [
      'packages/node/test/simulation/**', 'packages/blockstore-packed/src/whole/**', ...SIMULATED, ...SHARED_STORE,
      ...REPO
    ]
  },
  // ten thousand orders of writers, a reader and a collection, on disks that lose and tear
  'packs-simulation': {
    runs: [{ project: 'unit', files: ['packages/blockstore-packed/test/simulation.test.ts'] }],
    minutes: 9,
    guards: ['packages/blockstore-packed/{src,test}/**', ...SIMULATED]
  },
  // the reader in Python, and what the guide says about it
  python: {
    runs: [{ script: 'scripts/python.ts' }],
    minutes: 2,
    guards: [
      'python/**', 'vectors/**', 'docs/format.md', 'docs/guide/python.md', 'packages/{core,codecs}/src/format/**',
      'packages/core/src/{base,filters}/**'
    ]
  },
  // the same, with the libraries that people use it with
  'python-libraries': {
    runs: [{ script: 'scripts/python.ts', args: ['--nightly'] }],
    minutes: 4,
    guards: ['python/**', 'vectors/**', 'docs/format.md', 'docs/guide/python.md']
  },
  // a hundred thousand mutated frames for every decoder, lists of filters, and tables of frames
  fuzz: {
    runs: [
      { script: 'packages/codecs/scripts/fuzz.ts' },
      { project: 'unit', files: ['packages/core/test/hostile-{filters,tables}.test.ts'] }
    ],
    minutes: 20,
    guards: [
      'packages/codecs/test/fuzz.ts', 'packages/core/src/{filters,format,streams}/**', ...CODECS
    ]
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
    minutes: 5,
    guards: CORE
  },
  // how much memory processes take, for files of a gigabyte, large trees and hostile ones
  memory: {
    runs: [
      { project: 'unit', files: ['packages/node/test/{multihash-map,tree-memory}.test.ts'] },
      { project: 'unit', files: ['packages/site/test/many-files.test.ts'] },
      { project: 'integration', files: ['test/integration/{folder-memory,memory,memory-strangers}.test.ts'] }
    ],
    minutes: 5,
    guards: [
      'packages/node/src/{add,dag,disk,get,threads,tree,verify}/**', 'packages/cli/src/commands/**',
      'packages/blockstore-packed/src/**', 'packages/site/src/**', ...CORE
    ]
  },
  // many clients, slow links, networks that are lost, and hundreds of megabytes to and from Kubo
  network: {
    runs: [
      { project: 'integration', files: ['test/integration/{network-clients,slow-link}.test.ts'] },
      { project: 'interop', files: ['test/interop/{kubo-network,lost-network}.test.ts'] }
    ],
    minutes: 5,
    guards: ['packages/node/src/cluster/**', ...NETWORK]
  },
  // the stream muxer's compliance suite in Chromium, without WebSockets
  connections: {
    runs: [{ project: 'browser', files: ['test/browser/libp2p-compression.test.ts'] }],
    minutes: 1,
    guards: ['packages/libp2p-compression/src/**']
  },
  // what runs in Node, too: unit suites of what differs in browsers
  'units-in-chromium': {
    runs: [{
      project: 'browser',
      files: ['packages/{blockstore-compressed,codecs,core,gateway,utils,verified-fetch}/test/*.test.ts'],
      tag: 'neither'
    }],
    minutes: 2,
    guards: [
      'packages/{blockstore-compressed,core,gateway,utils,verified-fetch}/src/**', 'test/support/in-browser/*',
      'vitest.config.ts', ...CODECS
    ]
  },
  // what takes seconds, in Chromium too
  chromium: {
    runs: [{ project: 'browser', files: ['packages/{codecs,core,blockstore-compressed}/test/*.test.ts'], tag: 'slow' }],
    minutes: 5,
    guards: ['packages/codecs/src/{platform,workers,runtime,impl,stream}/**', 'packages/codecs/assembly/**']
  },
  // sites in browsers: in Firefox too, and what is shown where something is missing
  sites: {
    runs: [
      { project: 'pages', files: ['test/pages/{dictionary,site-releases}.test.ts'] },
      { project: 'interop', files: ['test/interop/{firefox-pages,firefox-releases}.test.ts'] },
      { project: 'interop', files: ['test/interop/{kubo-site,service-worker,site}.test.ts'] }
    ],
    minutes: 2,
    guards: [
      'test/interop/published-site*.ts', 'test/support/versioned-site.ts', 'packages/site/src/**',
      'packages/gateway/src/{compress,respond/file,service-worker}/**', 'packages/gateway/src/request/dictionary.ts',
      'examples/{dataset,media}/**'
    ]
  },
  // publishing on GitHub, as its runner does
  action: {
    runs: [{ project: 'integration', files: ['test/integration/action.test.ts'] }],
    minutes: 1,
    guards: ['action.yml', 'scripts/site-action.sh', 'packages/site/src/**']
  },
  // the demo: previews, codecs, peers that go away, phones, no network, hostile input, shared links, films
  demo: {
    runs: [
      {
        project: 'demo',
        files: ['test/demo/{access,daemon,drop,files,media,peer,read,share,static-host,trouble}.test.ts']
      }
    ],
    minutes: 4,
    guards: [
      'examples/web-app/**', 'test/demo/open-demo.ts', 'packages/codecs/src/{platform,workers}/**',
      'packages/core/src/fetch/libp2p/**'
    ]
  },
  // every level and option of the tools that others use
  'reference-tools': {
    runs: [{ project: 'interop', files: ['test/interop/{command,gitignore,reference-tools,streams}.test.ts'] }],
    minutes: 2,
    guards: ['packages/node/src/disk/{gitignore,ignore,tree-source}.ts', ...CODECS]
  },
  // Kubo with large and sharded trees, with originals, and killed meanwhile
  kubo: {
    runs: [{ project: 'interop', files: ['test/interop/kubo-{gateway,originals,store,trees}.test.ts'] }],
    minutes: 2,
    guards: [
      'test/interop/kubo-store-node.ts', 'packages/node/src/{kubo,migrate}/**',
      'packages/core/src/{change,directory,kubo,originals}/**'
    ]
  },
  // every store in every setting
  blockstores: {
    runs: [
      { project: 'unit', files: ['packages/blockstore-compressed/test/compliance.test.ts'] },
      { project: 'interop', files: ['test/interop/{kubo,s3}.test.ts'] }
    ],
    minutes: 2,
    guards: ['packages/blockstore-compressed/src/**']
  },
  // ten thousand requests, HEAD of every file under every URL, and a gateway that is killed while clients read
  gateway: {
    runs: [
      { project: 'unit', files: ['packages/gateway/test/head.test.ts'] },
      { project: 'integration', files: ['test/integration/gateway-load.test.ts'] },
      { project: 'interop', files: ['test/interop/clients/clients.test.ts'] }
    ],
    minutes: 5,
    guards: [
      'packages/gateway/src/**', 'packages/node/src/gateway/**', 'test/integration/load-kinds.ts',
      'test/interop/clients/*'
    ]
  },
  'slow-blockstore-compressed': slowTests('blockstore-compressed'),
  'slow-blockstore-packed': { ...slowTests('blockstore-packed'), minutes: 3 },
  'slow-blockstore-s3': slowTests('blockstore-s3'),
  'slow-node': slowTests('node'),
  'slow-codecs': { ...slowTests('codecs'), guards: [...CODECS, 'packages/codecs/test/**'] },
  'slow-core': { ...slowTests('core'), minutes: 4 },
  'slow-gateway': slowTests('gateway'),
  'slow-libp2p-compression': slowTests('libp2p-compression'),
  // that the rules of rooms.ts refuse what they should
  rooms: {
    runs: [{ project: 'integration', files: ['test/integration/rooms.test.ts'], tag: 'slow' }],
    minutes: 1,
    guards: ['rooms.ts', 'oxlint.config.ts', 'scripts/room-rules.ts']
  },
  // processes of the command, killed ones and daemons among them
  'slow-command': {
    runs: [{
      project: 'integration',
      files: [
        'test/integration/{sizes,torture,trees}.test.ts',
        'test/integration/{bench,blockstore-commands,car,containers,gc-processes,get-kill,interruption}.test.ts',
        'test/integration/{convert-layout,like-windows,links-kill,originals,output,packs,packs-kill,power-cut}.test.ts',
        'test/integration/{processes,progress,secrets,site}.test.ts'
      ],
      tag: 'slow'
    }],
    minutes: 5,
    guards: [
      'packages/cli/{src,bin}/**', 'packages/node/src/*',
      'packages/node/src/{blocks,car,convert,dag,handle,kubo,migrate}/**'
    ]
  },
  'slow-daemon': {
    runs: [{
      project: 'integration',
      files: ['test/integration/{daemon,gateway,gateway-client,names,network,repair-from-peers}.test.ts'],
      tag: 'slow'
    }],
    minutes: 1,
    guards: ['packages/node/src/gateway/**', ...NETWORK]
  },
  'slow-stores': {
    runs: [{
      project: 'integration',
      files: [
        'test/integration/{compressed-blockstore,compressed-blockstore-processes}.test.ts',
        'test/integration/{lying-store,shared-store,shared-store-packs,silent-store,soak,store-faults}.test.ts'
      ],
      tag: 'slow'
    }],
    minutes: 1,
    guards: ['packages/blockstore-compressed/src/**', ...SHARED_STORE]
  },
  'slow-connections': {
    runs: [{ project: 'integration', files: ['test/integration/libp2p-compression.test.ts'], tag: 'slow' }],
    minutes: 1,
    guards: ['packages/libp2p-compression/src/**']
  },
  // what packages of others do, and that our patches mend it: other versions of them make it due (COMMON)
  upstream: {
    runs: [
      { project: 'integration', files: ['test/upstream/patches.test.ts'] },
      { project: 'integration', files: ['test/upstream/tree-builder.test.ts'], tag: 'slow' }
    ],
    minutes: 1,
    guards: ['docs/upstream/**', 'test/upstream/with-patch.ts']
  },
  // that GitHub takes the workflows
  workflows: {
    runs: [{ project: 'interop', files: ['test/interop/workflows.test.ts'] }],
    minutes: 1,
    guards: ['.github/workflows/*']
  },
  // the command as one file
  executable: {
    runs: [{ script: 'scripts/executable.ts', args: ['node_modules/.cache/ipfsz-executable'] }],
    minutes: 2,
    guards: ['scripts/executable/*', 'scripts/{executable,empty-project}.ts', 'packages/cli/bin/*']
  },
  container: {
    runs: [{ script: 'scripts/check-container.ts' }],
    minutes: 8,
    guards: ['examples/gateway/*', '.devcontainer/*', 'packages/cli/package.json']
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

/** By the script that runs them alone, without slow tests. Packages are named, so that no new one is forgotten. */
export const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  // types, lint, unused code, documents, packages as they are published, installs, examples
  'suite:check': [
    '*', '.{ci,devcontainer}/*', '.github/**', 'docs/**', 'etc/*', 'examples/**', 'scripts/*', 'scripts/nightly/*',
    'site/**'
  ],
  // in Node, and the pages that bundlers build
  'suite:test': [
    'packages/utils/**',
    'packages/codecs/**',
    'packages/core/**',
    'packages/blockstore-compressed/**',
    'packages/blockstore-packed/**',
    'packages/blockstore-s3/**',
    'packages/libp2p-compression/**',
    'packages/gateway/**',
    'packages/verified-fetch/**',
    'packages/shared-store/**',
    'packages/node/**',
    'packages/site/**',
    'packages/cli/**',
    'bench/**',
    'scripts/{soak,torture,vectors}/*',
    'examples/{dataset,media}/**',
    'test/integration/**',
    'test/pages/**',
    'test/support/**',
    'test/upstream/**',
    'vectors/**'
  ],
  // what differs in browsers, and the demo
  'suite:browser': [
    'packages/codecs/src/{platform,workers,runtime,impl,stream}/**',
    'packages/libp2p-compression/src/platform/*',
    'packages/gateway/src/service-worker/**',
    'packages/site/src/**',
    'examples/web-app/**',
    'site/**',
    'test/browser/**',
    'test/demo/**'
  ],
  // beside Kubo, Helia, reference tools, S3, Firefox
  'suite:interop': [
    'packages/blockstore-s3/**', 'packages/libp2p-compression/src/**', 'packages/node/src/{kubo,network}/**',
    'test/interop/**'
  ]
}
