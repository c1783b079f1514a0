'use strict'

/*
 * What the command cannot do without, as a bare Node program. `add FILE DIRECTORY` reads a file, compresses, hashes,
 * writes and syncs it; `cat DIRECTORY` reads, hashes and decompresses what that has written, and prints it. Plain
 * JavaScript: to strip types takes as long as Node takes to start.
 */

const { createHash } = require('node:crypto')
const { readFileSync, writeFileSync, writeSync } = require('node:fs')
const { open, rename } = require('node:fs/promises')
const { join } = require('node:path')
const { promisify } = require('node:util')
const { constants, zstdCompress, zstdDecompress } = require('node:zlib')

const MIB = 1024 * 1024
const FRAME = 4 * MIB
const LEAF = MIB

/** How many frames are compressed or decompressed at a time. More are no faster on two cores. */
const AT_ONCE = { add: 3, cat: 4 }

/** The file descriptor of stdout. Reading `process.stdout` would make a pipe non-blocking. */
const STDOUT = 1

/** The list of frames: of each, its original bytes, and the names and lengths of its leaves. */
const LIST = 'frames.json'

const [action, ...args] = process.argv.slice(2)
const work = action === 'add' ? add(...args) : cat(...args)

work.catch(err => {
  console.error(err)
  process.exitCode = 1
})

async function add (file, directory) {
  const source = await open(file)
  const { size } = await source.stat()
  const frames = []
  let next = 0

  await Promise.all(Array.from({ length: AT_ONCE.add }, async () => {
    const buffer = Buffer.allocUnsafeSlow(FRAME)

    while (next < size) {
      const start = next
      next += FRAME
      const { bytesRead } = await source.read(buffer, 0, FRAME, start)
      const bytes = await promisify(zstdCompress)(buffer.subarray(0, bytesRead), {
        chunkSize: Math.max(64, bytesRead >> 1),
        pledgedSrcSize: bytesRead,
        params: { [constants.ZSTD_c_compressionLevel]: 3 }
      })
      const leaves = []

      for (let at = 0; at < bytes.byteLength; at += LEAF) {
        leaves.push(await store(bytes.subarray(at, at + LEAF), directory))
      }

      frames[start / FRAME] = { size: bytesRead, leaves }
    }
  }))

  await source.close()
  writeFileSync(join(directory, LIST), JSON.stringify(frames))
}

async function store (leaf, directory) {
  const name = createHash('sha256').update(leaf).digest('hex')
  const file = join(directory, name)
  const target = await open(`${file}.tmp`, 'w')
  await target.writeFile(leaf)
  await target.datasync()
  await target.close()
  await rename(`${file}.tmp`, file)

  return { name, length: leaf.byteLength }
}

async function cat (directory) {
  const frames = JSON.parse(readFileSync(join(directory, LIST), 'utf8'))
  const coming = []
  let next = 0

  while (next < frames.length || coming.length > 0) {
    while (coming.length < AT_ONCE.cat && next < frames.length) {
      coming.push(decompress(frames[next++], directory))
    }

    const bytes = await coming.shift()

    for (let written = 0; written < bytes.byteLength;) {
      written += writeSync(STDOUT, bytes, written)
    }

    // as garbage it would take part of the time
    bytes.buffer.transfer(0)
  }
}

async function decompress ({ size, leaves }, directory) {
  const frame = Buffer.allocUnsafeSlow(leaves.reduce((total, { length }) => total + length, 0))
  let at = 0

  for (const { name, length } of leaves) {
    const leaf = frame.subarray(at, at += length)
    const file = await open(join(directory, name))
    await file.read(leaf)
    await file.close()

    if (createHash('sha256').update(leaf).digest('hex') !== name) {
      throw new Error(`${name} is damaged`)
    }
  }

  const bytes = await promisify(zstdDecompress)(frame, { chunkSize: size + 1, maxOutputLength: size })
  frame.buffer.transfer(0)

  return bytes
}
