'use strict'

/*
 * What `ipfsz cat --gateway` cannot do without, as a bare Node program. `URL SIZE TIMEOUT` fetches the CAR of a file,
 * compares each block with its hash, decompresses the zstd frames that its leaves hold, and prints what they give. The
 * blocks have SIZE bytes together, and may take TIMEOUT milliseconds. It stores nothing, and believes every length.
 * Plain JavaScript: to strip types takes as long as Node takes to start.
 */

const { createHash } = require('node:crypto')
const { connect } = require('node:net')
const { promisify } = require('node:util')
const { zstdDecompress } = require('node:zlib')

const CAR = 'application/vnd.ipld.car; version=1; order=dfs; dups=n'

/** The most bytes of a response besides its blocks: its head, that of the CAR, and their lengths and CIDs. */
const OVERHEAD = 64 * 1024

/** The most bytes that are read at a time, 256 KiB. */
const READ_SIZE = 256 * 1024

/** The bytes of a CID before its digest, and with it. Each has a codec of one byte, and SHA-256. */
const DIGEST = 4
const CID = 36

/** The codec of leaves. */
const RAW = 0x55

/** The original bytes of a frame, 4 MiB. */
const FRAME = 4 * 1024 * 1024

/** The first four bytes of a frame with data (RFC 8878, section 3.1.1), little endian. */
const MAGIC = 0xfd2fb528

const [url, size, timeout] = process.argv.slice(2)

/** The response. The leaves of those blocks that have arrived are moved to its beginning, without gaps. */
const response = Buffer.allocUnsafeSlow(Number(size) + OVERHEAD)
/** How much of it has arrived. */
let arrived = 0
/** Where the next section of the CAR begins. */
let section
/** Bytes of the leaves. */
let leaves = 0
/** Where the next frame begins in them. */
let frame = 0
/** The last frame that is being printed. */
let printed

const { hostname: host, port, pathname, search } = new URL(url)
const socket = connect({
  host,
  port: Number(port),
  onread: {
    // into place: node:http copies each piece into new memory. A body of HTTP/1.0 has no chunks
    buffer: () => response.subarray(arrived, arrived + READ_SIZE),
    callback (length) {
      arrived += length
      section ??= endOfHead()

      if (section != null) {
        takeBlocks()
        takeFrames()
      }
    }
  }
})
socket.setTimeout(Number(timeout), () => { socket.destroy(new Error('nothing has arrived')) })
socket.write(`GET ${pathname}${search} HTTP/1.0\r\nHost: ${host}\r\nAccept: ${CAR}\r\n\r\n`)

/** Where the CAR's blocks begin. Undefined: that has not arrived. */
function endOfHead () {
  const end = response.subarray(0, arrived).indexOf('\r\n\r\n') + 4
  const { length, start } = readLength(end)

  return end < 4 || start + length > arrived ? undefined : start + length
}

function takeBlocks () {
  for (;;) {
    const { length, start } = readLength(section)

    if (start + length > arrived) {
      return
    }

    takeBlock(response.subarray(start, start + length))
    section = start + length
  }
}

/** The length of a section, and where its bytes begin: seven bits a byte, little endian. */
function readLength (start) {
  for (let length = 0, scale = 1; start < arrived; scale *= 128) {
    const byte = response[start++]
    length += (byte & 127) * scale

    if (byte < 128) {
      return { length, start }
    }
  }

  return { length: Number.POSITIVE_INFINITY, start }
}

function takeBlock (cidAndBlock) {
  const block = cidAndBlock.subarray(CID)

  if (!createHash('sha256').update(block).digest().equals(cidAndBlock.subarray(DIGEST, CID))) {
    throw new Error('a block does not match its CID')
  }

  if (cidAndBlock[1] === RAW) {
    leaves += block.copy(response, leaves)
  }
}

function takeFrames () {
  for (let end = endOfFrame(); end <= leaves; end = endOfFrame()) {
    if (response.readUInt32LE(frame) === MAGIC) {
      const options = { chunkSize: FRAME + 1, maxOutputLength: FRAME }
      printed = print(promisify(zstdDecompress)(response.subarray(frame, end), options), printed)
    }

    frame = end
  }
}

/** Where the next frame ends (RFC 8878, sections 3.1.1 and 3.1.2). Infinity: its end has not arrived. */
function endOfFrame () {
  if (frame + 8 > leaves) {
    return Number.POSITIVE_INFINITY
  }

  if (response.readUInt32LE(frame) !== MAGIC) {
    // a skippable one
    return frame + 8 + response.readUInt32LE(frame + 4)
  }

  const descriptor = response[frame + 4]
  const isSingle = (descriptor & 0x20) !== 0
  const contentSize = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]
  let at = frame + 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3] + contentSize

  while (at + 3 <= leaves) {
    const block = response.readUIntLE(at, 3)
    // one of a repeated byte
    at += 3 + ((block >> 1 & 3) === 1 ? 1 : block >> 3)

    if ((block & 1) === 1) {
      return at + ((descriptor & 4) === 0 ? 0 : 4)
    }
  }

  return Number.POSITIVE_INFINITY
}

/** Print a frame, once those before it are printed. */
async function print (decompressed, before) {
  const [bytes] = await Promise.all([decompressed, before])
  await new Promise(resolve => { process.stdout.write(bytes, resolve) })
  // as garbage it would take part of the time
  bytes.buffer.transfer(0)
}
