'use strict'

const { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

/** Bytes before the compiled code: the CRC-32 of its source and its own, big endian. */
const HEADER_SIZE = 8

/** What the name of a command looks like. */
const COMMAND = /^[a-z]{2,16}$/

/** The option of every command that prints its help. */
const HELP = /^(-h|--help)$/

/** The names of files that are being written: the number is that of the process. */
const UNFINISHED = /^ipfsz-[a-z]{2,16}\.\d+$/

/** The age at which such a file counts as left behind by a killed process, 1 hour. Writing one takes milliseconds. */
const STALE_AFTER = 60 * 60 * 1000

/**
 * Load the largest chunk of the bundle with the functions that an earlier process with the same command compiled, and
 * keep what this one compiles if it ends well. Node's own cache has only what runs at load: each process compiled all
 * other functions again, which was a sixth of its time.
 *
 * @param {string} file - of the chunk
 * @param {string} directory - Node's cache of compiled code, which only this user may write: V8 runs what it finds
 *   there. Node makes one for each of its versions
 * @param {string[]} args - of the command
 */
module.exports = function loadStart (file, directory, args) {
  const { crc32 } = require('node:zlib')
  const { constants, Script } = require('node:vm')
  const source = readFileSync(file)
  const sourceCrc = crc32(source)
  const cache = join(directory, `ipfsz-${nameOf(args)}`)
  const cachedData = readCode(cache, sourceCrc, crc32)
  // it is ASCII, which is decoded fastest as Latin-1
  const code = `(function (exports, require, module, __filename, __dirname) { ${source.latin1Slice()}\n})`
  const script = new Script(code, {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  })
  const module = { id: file, filename: file, path: dirname(file), exports: {}, loaded: false, children: [], paths: [] }

  // V8 refuses code of other versions and flags
  if (cachedData == null || script.cachedDataRejected) {
    process.once('exit', code => {
      if (code === 0) {
        writeCode(cache, sourceCrc, script.createCachedData(), crc32)
      }
    })
  }

  require.cache[file] = module
  script.runInThisContext()(module.exports, require('node:module').createRequire(file), module, file, module.path)
  module.loaded = true
}

/** What the cache of a command is called. Its help, often the first that is asked for, runs few of its functions. */
function nameOf ([command = '', ...args]) {
  if ([command, ...args].some(arg => HELP.test(arg))) {
    return 'help'
  }

  return COMMAND.test(command) ? command : 'other'
}

/** The code in a cache, if it is whole and that of this source: V8 looks at the length of the source alone. */
function readCode (cache, sourceCrc, crc32) {
  try {
    const bytes = readFileSync(cache)
    const code = bytes.subarray(HEADER_SIZE)

    return bytes.readUInt32BE(0) === sourceCrc && bytes.readUInt32BE(4) === crc32(code) ? code : undefined
  } catch {
    // there is none, or only a part of its header
    return undefined
  }
}

function writeCode (cache, sourceCrc, code, crc32) {
  const header = Buffer.alloc(HEADER_SIZE)
  header.writeUInt32BE(sourceCrc, 0)
  header.writeUInt32BE(crc32(code), 4)

  const temporary = `${cache}.${process.pid}`

  try {
    mkdirSync(dirname(cache), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, Buffer.concat([header, code]), { mode: 0o600 })
    renameSync(temporary, cache)
    removeUnfinished(dirname(cache))
  } catch {
    // the disk is full or read-only: the next process compiles again
    try {
      rmSync(temporary, { force: true })
    } catch {
      // the same
    }
  }
}

/** Delete what processes left behind that were killed while they wrote. */
function removeUnfinished (directory) {
  for (const name of readdirSync(directory).filter(name => UNFINISHED.test(name))) {
    const file = join(directory, name)
    // another process may be deleting it too
    const stats = lstatSync(file, { throwIfNoEntry: false })

    if (stats != null && Date.now() - stats.mtimeMs > STALE_AFTER) {
      rmSync(file, { force: true })
    }
  }
}
