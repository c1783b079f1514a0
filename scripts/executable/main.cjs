'use strict'
// The program in the executable (scripts/executable.ts). It unpacks the installed command once, into a directory of the
// user, and runs it from there: Node reads only the files that a command needs, and addons and threads must be files.

const { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeSync } =
  require('node:fs')
const { createRequire } = require('node:module')
const { homedir, tmpdir } = require('node:os')
const { dirname, isAbsolute, join } = require('node:path')
const { getAsset, getRawAsset } = require('node:sea')
const { zstdDecompressSync } = require('node:zlib')

const directory = join(ownDirectory() ?? temporaryDirectory(), `executable-${getAsset('id', 'utf8')}`)

if (!existsSync(directory)) {
  unpack(directory)
}

createRequire(join(directory, 'package.json'))('./node_modules/ipfsz/bin/ipfsz.js')

/** Where packages/cli/bin/ipfsz.js keeps compiled code: only this user may write it, as what is there is run. */
function ownDirectory () {
  const { env, getuid, platform } = process
  const given = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME

  try {
    const above = given != null && isAbsolute(given)
      ? given
      : join(homedir(), ...platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'])
    const own = join(above, 'ipfsz')
    mkdirSync(own, { recursive: true, mode: 0o700 })

    return isAbsolute(own) && (getuid == null || [above, own].every(isOwn)) ? own : undefined
  } catch {
    return undefined
  }
}

function isOwn (path) {
  const { uid, mode } = statSync(path)

  return uid === process.getuid() && (mode & 0o022) === 0
}

function temporaryDirectory () {
  const made = mkdtempSync(join(tmpdir(), 'ipfsz-'))
  process.once('exit', () => { rmSync(made, { recursive: true, force: true }) })

  return made
}

/** All of it, or nothing: another process may do the same. */
function unpack (target) {
  const bytes = zstdDecompressSync(getRawAsset('files'))
  const end = bytes.indexOf(10)
  const temporary = `${target}.${process.pid}`
  let start = end + 1

  for (const { path, size } of JSON.parse(bytes.toString('utf8', 0, end))) {
    const file = join(temporary, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const fd = openSync(file, 'w', 0o600)
    writeSync(fd, bytes, start, size)
    closeSync(fd)
    start += size
  }

  try {
    renameSync(temporary, target)
  } catch (err) {
    rmSync(temporary, { recursive: true, force: true })

    if (!existsSync(target)) {
      throw err
    }
  }
}
