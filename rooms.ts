/**
 * The map of the house: which packages may import each other, and inside a package which rooms
 * may (a room is a folder of the package's `src`). `npm run lint` refuses every other import,
 * every circular import, even of types only, and a folder that is not on the map.
 *
 * In each list a room imports only what stands above it, so rooms form no circles either.
 *
 * Tests of a package import its own `src` and `dist`, and `test/support`. Everything outside of
 * `packages` imports packages by their names, and the built command as `packages/cli/dist`.
 */

/** Package -> packages of this repository that it may import. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  utils: [],
  codecs: ['utils'],
  core: ['codecs', 'utils'],
  'blockstore-compressed': ['codecs', 'utils'],
  'blockstore-packed': ['utils'],
  'blockstore-s3': ['utils'],
  'libp2p-compression': ['codecs', 'utils'],
  gateway: ['codecs', 'core', 'utils'],
  'verified-fetch': ['core', 'gateway'],
  'shared-store': ['codecs', 'core', 'blockstore-compressed', 'blockstore-packed', 'blockstore-s3', 'utils'],
  node: [
    'codecs', 'core', 'blockstore-compressed', 'blockstore-packed', 'blockstore-s3', 'gateway', 'libp2p-compression',
    'shared-store', 'utils'
  ],
  site: ['core', 'gateway', 'node', 'utils'],
  cli: ['codecs', 'core', 'blockstore-compressed', 'shared-store', 'node', 'site', 'utils']
}

/** Package -> files at the top of its `src` that all its rooms may import. They import only each other. */
export const OPEN_FILES: Readonly<Record<string, readonly string[]>> = {
  utils: [],
  codecs: ['codec.ts', 'constants.ts', 'errors.ts', 'implementation.ts'],
  core: ['codec-names.ts', 'constants.ts', 'errors.ts', 'events.ts', 'marker.ts'],
  'blockstore-compressed': ['check-inner.ts', 'constants.ts', 'errors.ts', 'init.ts'],
  'blockstore-packed': ['constants.ts', 'errors.ts'],
  'blockstore-s3': ['constants.ts', 'contract.ts', 'errors.ts', 'keys.ts', 's3-url.ts'],
  'libp2p-compression': ['constants.ts', 'contract.ts', 'errors.ts', 'traffic.ts'],
  gateway: ['client.ts', 'contract.ts', 'cors.ts', 'errors.ts', 'follow-signal.ts'],
  'verified-fetch': [],
  'shared-store': ['clock.ts', 'errors.ts'],
  node: ['errors.ts', 'events.ts', 'lock-file.ts', 'paths.ts', 'version.ts'],
  site: [],
  cli: ['errors.ts', 'io.ts']
}

/**
 * Package -> room -> rooms of the same package that it may import. A name that ends in `.ts` is a
 * file at the top of `src`, with the rooms that it may import. Other files there, such as
 * `index.ts`, may import every room, and no room may import them.
 */
export const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  utils: {},
  codecs: {
    platform: [],
    generated: [], // written by the build
    format: ['platform'],
    delta: ['format', 'generated', 'platform'],
    impl: ['delta', 'format', 'generated', 'platform'],
    stream: ['format', 'generated', 'impl', 'platform'],
    workers: ['platform'],
    runtime: ['platform', 'stream', 'workers']
  },
  core: {
    util: [],
    documents: [],
    helia: ['util'],
    cut: ['util'],
    filters: ['util'],
    format: ['filters', 'util'],
    dag: ['format', 'util'],
    fetch: ['dag', 'helia', 'util'],
    directory: ['dag', 'format', 'util'],
    'content-cid': ['dag', 'format', 'util'],
    frames: ['dag', 'filters', 'format', 'util'],
    policy: ['cut', 'filters', 'frames', 'util'],
    small: ['dag', 'filters', 'format', 'policy'],
    'unixfs.ts': ['dag', 'filters', 'policy'],
    'verification.ts': ['dag', 'unixfs.ts'],
    'file-handle.ts': ['unixfs.ts'],
    links: ['content-cid', 'dag', 'util'],
    'contract.ts': ['fetch', 'file-handle.ts', 'links', 'unixfs.ts', 'verification.ts'],
    streams: ['dag', 'format', 'frames', 'util'],
    read: [
      'content-cid', 'dag', 'directory', 'documents', 'format', 'frames', 'links', 'streams', 'unixfs.ts', 'util'
    ],
    base: ['content-cid', 'cut', 'dag', 'format', 'frames', 'read', 'util'],
    write: [
      'base', 'content-cid', 'cut', 'dag', 'directory', 'filters', 'format', 'frames', 'links', 'policy', 'small',
      'unixfs.ts', 'util'
    ],
    dictionary: ['base', 'cut', 'dag', 'frames', 'policy', 'small', 'util', 'write'],
    'settings.ts': ['links', 'read'],
    change: ['dag', 'directory', 'read', 'util'],
    commands: [
      'base', 'change', 'dag', 'dictionary', 'directory', 'file-handle.ts', 'format', 'frames', 'links', 'policy',
      'read', 'settings.ts', 'streams', 'unixfs.ts', 'util', 'verification.ts', 'write'
    ],
    'file-reader.ts': ['commands', 'contract.ts', 'fetch', 'file-handle.ts', 'read', 'unixfs.ts'],
    'ipfsz.ts': ['commands', 'contract.ts', 'file-reader.ts', 'links', 'settings.ts', 'unixfs.ts', 'verification.ts'],
    'check-init.ts': [],
    'create-reader.ts': ['check-init.ts', 'contract.ts', 'fetch', 'file-reader.ts'],
    'create-with-codecs.ts': ['check-init.ts', 'contract.ts', 'fetch', 'ipfsz.ts', 'links', 'read'],
    'create-ipfsz.ts': ['contract.ts', 'create-with-codecs.ts'],
    kubo: ['contract.ts', 'create-ipfsz.ts', 'ipfsz.ts', 'unixfs.ts'],
    originals: [
      'content-cid', 'contract.ts', 'create-ipfsz.ts', 'create-reader.ts', 'dag', 'format', 'links', 'policy', 'read',
      'unixfs.ts', 'util'
    ]
  },
  'blockstore-compressed': {
    util: [],
    value: [],
    'block-writes.ts': ['util', 'value'],
    'stored-value.ts': ['util', 'value'],
    'events.ts': ['value'],
    convert: ['block-writes.ts', 'events.ts', 'stored-value.ts', 'util', 'value'],
    fs: []
  },
  'blockstore-packed': {
    util: [],
    disk: [],
    format: [],
    encode: ['format'],
    'contract.ts': ['disk', 'encode'],
    entries: ['disk', 'format', 'util'],
    pack: ['disk', 'encode', 'entries', 'format', 'util'],
    store: ['contract.ts', 'disk', 'encode', 'entries', 'format', 'pack', 'util'],
    whole: ['disk', 'encode', 'entries', 'format', 'pack', 'store']
  },
  'blockstore-s3': {
    credentials: [],
    xml: [],
    request: ['credentials', 'xml']
  },
  'libp2p-compression': {
    frames: [],
    codecs: ['frames'],
    platform: ['codecs', 'frames'],
    connection: ['codecs', 'frames'],
    negotiation: ['codecs', 'connection', 'platform']
  },
  gateway: {
    request: [],
    compress: [],
    dag: [],
    memory: [],
    resolve: ['dag', 'request'],
    car: ['dag', 'memory', 'request'],
    html: [],
    respond: ['car', 'dag', 'html', 'memory', 'request', 'resolve'],
    'answer.ts': ['dag', 'request', 'resolve', 'respond'],
    'assemble-gateway.ts': ['answer.ts', 'dag', 'memory', 'request', 'resolve', 'respond'],
    'create-gateway.ts': ['assemble-gateway.ts', 'dag', 'respond'],
    'service-worker': ['assemble-gateway.ts', 'request', 'resolve', 'respond'],
    node: [],
    libp2p: ['create-gateway.ts', 'node']
  },
  'verified-fetch': {},
  'shared-store': {
    objects: [],
    storage: [],
    older: ['objects', 'storage'],
    places: ['objects', 'older', 'storage'],
    records: ['objects'],
    protocol: ['objects'],
    sessions: ['objects', 'protocol'],
    packs: ['objects', 'protocol', 'storage'],
    collect: ['objects', 'packs', 'protocol', 'sessions'],
    nodes: ['objects'],
    'store-reference.ts': ['objects', 'places'],
    'shared-store.ts': ['objects', 'older', 'packs', 'places', 'records', 'storage', 'store-reference.ts']
  },
  node: {
    threads: [],
    dag: [],
    disk: ['dag'],
    locks: ['disk'],
    config: ['disk', 'locks'],
    cache: ['disk', 'locks'],
    'known-files': ['disk'],
    blocks: ['dag'],
    repo: ['blocks', 'cache', 'dag', 'disk', 'locks'],
    tree: ['blocks', 'dag', 'disk', 'repo', 'threads'],
    kubo: ['disk', 'repo'],
    network: ['dag', 'disk', 'repo'],
    cluster: ['dag', 'network'], // the other nodes of a store
    daemon: ['cluster', 'locks', 'network', 'repo'],
    'context.ts': ['daemon', 'network', 'repo'],
    migrate: ['blocks', 'context.ts', 'dag', 'repo'],
    gateway: ['cache', 'context.ts', 'dag', 'daemon', 'disk', 'locks', 'network', 'repo'],
    add: ['context.ts', 'dag', 'daemon', 'disk', 'gateway', 'known-files', 'kubo', 'repo', 'threads'],
    read: ['context.ts', 'dag', 'daemon', 'gateway', 'network', 'repo'],
    get: ['context.ts', 'dag', 'disk', 'read', 'tree'],
    pins: ['context.ts', 'dag', 'daemon', 'read'],
    collect: ['context.ts', 'repo'],
    history: ['context.ts', 'repo'],
    init: ['blocks', 'context.ts', 'disk', 'repo'],
    links: ['context.ts', 'dag', 'read', 'repo'],
    verify: ['context.ts', 'dag', 'disk', 'read', 'repo', 'threads', 'tree'],
    repair: ['context.ts', 'dag', 'daemon', 'read', 'repo'],
    diff: ['context.ts', 'dag', 'read'],
    find: ['context.ts', 'dag', 'read'],
    usage: ['context.ts', 'dag', 'read'],
    stats: ['context.ts', 'repo'],
    car: ['add', 'context.ts', 'dag', 'disk', 'read', 'repo'],
    import: ['context.ts', 'dag', 'daemon', 'kubo', 'read', 'repo'],
    originals: ['context.ts', 'dag', 'read', 'repo'],
    convert: ['blocks', 'context.ts', 'daemon', 'repo'],
    peers: ['context.ts', 'dag', 'daemon', 'network', 'read'],
    names: ['context.ts', 'dag', 'daemon', 'network', 'read'],
    handle: [
      'add', 'car', 'collect', 'context.ts', 'dag', 'daemon', 'diff', 'gateway', 'get', 'history', 'links', 'originals',
      'pins', 'read', 'repair', 'repo', 'stats', 'usage', 'verify'
    ],
    'open-node': ['daemon', 'handle', 'network', 'repo']
  },
  site: {},
  cli: {
    advice: [],
    'errors.ts': ['advice'],
    terminal: [],
    'context.ts': ['terminal'],
    bench: [],
    commands: ['bench', 'context.ts', 'terminal'],
    program: ['commands', 'context.ts', 'terminal']
  }
}

/**
 * Package -> room -> subroom (a folder in the room) -> subrooms of the same room that it may
 * import. Files at the top of such a room import no subroom, and all subrooms may import them.
 */
export const SUBROOMS: Readonly<Record<string, typeof ROOMS>> = {
  codecs: {
    format: {
      bytes: [],
      checksums: ['bytes'],
      brotli: [],
      gzip: ['bytes', 'checksums'],
      lz4: ['bytes', 'checksums'],
      lzo: ['bytes', 'checksums'],
      snappy: ['bytes'],
      zstd: ['bytes', 'checksums']
    }
  },
  core: {
    fetch: {
      http: [],
      libp2p: ['http']
    }
  },
  gateway: {
    respond: {
      file: [],
      directory: ['file'],
      document: [],
      tar: [],
      trustless: []
    }
  },
  node: {
    network: {
      'helia-internals': [],
      dht: ['helia-internals'],
      bitswap: ['dht', 'helia-internals'],
      names: ['dht', 'helia-internals'],
      sources: [],
      node: ['bitswap', 'dht', 'helia-internals', 'names']
    }
  }
}
