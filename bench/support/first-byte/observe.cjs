'use strict'

/**
 * Preloaded into a process of the command (`node --require`): notes when it reaches each step on the way to its first
 * byte, from the outside, and writes the times when it ends. `FIRST_BYTE_REPO` is the directory of its repo, and
 * `FIRST_BYTE_TIMES` the file to write. Times are in milliseconds since 1970, as if this file took none.
 */

const begun = performance.now()
const { subscribe } = require('node:diagnostics_channel')
const callbacks = require('node:fs')
const promises = require('node:fs/promises')
const Module = require('node:module')

const { FIRST_BYTE_REPO: repo, FIRST_BYTE_TIMES: target } = process.env
/** Code that only a command with a network of its own loads, or one with a daemon. */
const NETWORK = /\/(?:temporary-node|daemon-client)-\w+\.cjs$/
const TEMPORARY = `${repo}/blocks/.tmp/`

const times = {}
/** When connections began, and when the first one was there. */
const dials = []
let overhead = 0

function note (step, at = performance.now()) {
  times[step] ??= at - overhead
}

for (const [files, names] of [[callbacks, ['open']], [promises, ['access', 'mkdir', 'open', 'readFile', 'stat']]]) {
  for (const name of names) {
    const call = files[name]

    files[name] = function (path, ...rest) {
      if (String(path).startsWith(repo)) {
        note('repo')
      }

      // a block that was fetched is written at once
      if (name === 'open' && String(path).startsWith(TEMPORARY)) {
        note('root')
      }

      return call.call(this, path, ...rest)
    }
  }
}

const { require: load } = Module.prototype

Module.prototype.require = function (request) {
  if (NETWORK.test(request)) {
    note('network')
  }

  const loaded = load.call(this, request)

  if (request === 'node:zlib' && times.zlib == null) {
    note('zlib')
    observeZlib(loaded)
  }

  return loaded
}

function observeZlib (zlib) {
  const { createZstdDecompress: create } = zlib

  // Node does not let it be assigned
  Object.defineProperty(zlib, 'createZstdDecompress', {
    value (options) {
      note('frame')

      return create.call(this, options).once('close', () => { note('decompressed') })
    }
  })
}

subscribe('net.client.socket', ({ socket }) => {
  dials.push(performance.now() - overhead)
  socket.once('connect', () => { note('connected') })
})

// of a daemon, which writes the block itself
subscribe('http.client.response.finish', ({ response }) => {
  if (response.headers['x-ipfsz-peer'] != null) {
    note('root')
  }
})

process.once('exit', () => {
  const { timeOrigin, nodeTiming: { bootstrapComplete } } = performance
  const all = { started: bootstrapComplete, ...times }
  const since = Object.entries(all).map(([step, at]) => [step, timeOrigin + at])

  const noted = { ...Object.fromEntries(since), dials: dials.map(at => timeOrigin + at) }

  callbacks.writeFileSync(target, JSON.stringify(noted))
})

overhead = performance.now() - begun
