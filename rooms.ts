/**
 * The map of imports: which packages may import each other, and inside a package which rooms
 * may (a room is a folder of the package's `src`). `npm run lint` refuses every other import,
 * and every circular import, even of types only.
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
    format: [],
    generated: [],
    impl: ['format', 'generated'],
    stream: ['format', 'generated', 'impl'],
    workers: [],
    platform: ['workers'],
    runtime: ['stream', 'workers']
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
