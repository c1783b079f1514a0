#!/usr/bin/env node
// Plain JavaScript that any version of Node can read, so that an old one can say so.

const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(
    `ipfsz: Node 22.15 or newer is needed, this is ${process.versions.node}. ` +
    'Install a current one, or run: npx --package node@24 --package ipfsz ipfsz\n'
  )
  process.exitCode = 1
} else {
  const { createRequire, enableCompileCache, getCompileCacheDir } = process.getBuiltinModule('node:module')
  const load = createRequire(import.meta.url)

  try {
    const directory = cacheDirectory()

    // Bun and Deno cannot, and with NODE_COMPILE_CACHE, Node has begun
    if (enableCompileCache != null && getCompileCacheDir() == null && isOwn(directory)) {
      enableCompileCache(directory)
    }
  } catch {
    // a user without a home directory, as in a container: start without the cache
  }

  const cache = getCompileCacheDir?.()

  if (cache != null) {
    load('./load-start.cjs')(load.resolve('../bundle/start.cjs'), cache, process.argv.slice(2))
  }

  load('../bundle/run-process.cjs').runProcess(process.argv)
}

/**
 * Where Node keeps compiled code, which makes a start faster: a directory of the user. In Node's default below /tmp,
 * others could prepare code for us to run.
 */
function cacheDirectory () {
  const { isAbsolute, join } = process.getBuiltinModule('node:path')
  const { homedir } = process.getBuiltinModule('node:os')
  const { env, platform } = process
  const given = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME

  if (given != null && isAbsolute(given)) {
    return join(given, 'ipfsz')
  }

  const home = homedir()

  // with an empty HOME, the working directory would be it, in which a stranger may have prepared code
  if (!isAbsolute(home)) {
    throw new Error('no home directory')
  }

  return join(home, ...platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'], 'ipfsz')
}

/**
 * Whether only this user may write a directory and rename it, made if it is missing. With sudo, the home directory may
 * be another user's, who could prepare code for root to run.
 */
function isOwn (directory) {
  const { mkdirSync, statSync } = process.getBuiltinModule('node:fs')
  const { dirname } = process.getBuiltinModule('node:path')

  mkdirSync(directory, { recursive: true, mode: 0o700 })

  return process.getuid == null || [dirname(directory), directory].every(path => {
    const { uid, mode } = statSync(path)

    return uid === process.getuid() && (mode & 0o022) === 0
  })
}
