/**
 * The map of the house: which package may import which, and inside a package which room
 * (a folder of its `src`) may import which other rooms. `npm run lint` refuses any other
 * import between them, and every circle of imports, of types too.
 *
 * Files at the top of a package's `src` (types, errors, constants) are open to all its rooms.
 */

/** Package -> packages of this repository that it may import. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  codecs: [],
  core: ['codecs', 'errors'],
  'blockstore-compressed': ['codecs', 'errors'],
  'libp2p-compression': ['codecs'],
  cli: ['codecs', 'core', 'blockstore-compressed']
}

/** Package -> room -> rooms of the same package that it may import. */
export const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  codecs: {
    util: [],
    format: [],
    generated: [],
    impl: ['format', 'generated'],
    stream: ['format', 'generated', 'impl', 'util'],
    workers: ['util'],
    platform: ['workers'],
    runtime: ['stream', 'util', 'workers']
  },
  core: {
    util: [],
    format: ['util'],
    fetch: ['util'],
    dag: ['format', 'util'],
    directory: ['dag', 'format', 'util'],
    'content-cid': ['dag', 'format', 'util'],
    frames: ['dag', 'format', 'util'],
    policy: ['frames'],
    links: ['content-cid', 'dag', 'util'],
    write: ['content-cid', 'dag', 'directory', 'format', 'frames', 'links', 'policy', 'util'],
    streams: ['dag', 'format', 'frames', 'util'],
    read: ['content-cid', 'dag', 'directory', 'format', 'frames', 'links', 'streams', 'util'],
    change: ['dag', 'directory', 'read', 'util'],
    commands: ['change', 'dag', 'directory', 'frames', 'links', 'policy', 'read', 'streams', 'util', 'write'],
    kubo: ['links', 'util']
  },
  'blockstore-compressed': {
    util: [],
    value: [],
    convert: ['util', 'value'],
    fs: ['util']
  },
  'libp2p-compression': {
    frames: [],
    codecs: ['frames'],
    platform: ['codecs', 'frames'],
    connection: ['codecs', 'frames'],
    negotiation: ['codecs', 'connection']
  },
  cli: {
    terminal: [],
    dag: [],
    disk: ['terminal'],
    locks: ['disk'],
    repo: ['dag', 'disk', 'locks'],
    kubo: ['repo'],
    car: ['dag', 'terminal'],
    network: ['dag', 'repo'],
    daemon: ['locks', 'network', 'repo'],
    bench: ['terminal'],
    commands: ['bench', 'car', 'daemon', 'dag', 'disk', 'kubo', 'locks', 'network', 'repo', 'terminal'],
    program: ['commands', 'daemon', 'network', 'repo', 'terminal']
  }
}
