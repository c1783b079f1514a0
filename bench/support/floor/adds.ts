import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { DEFAULT_FRAME_SIZE, ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { measure, progress, rotate } from '../../benchmark.ts'
import { PLAIN } from '../file-systems.ts'
import { FLOOR } from './names.ts'
import { toRows } from './rows.ts'
import type { Row, Time } from '../../benchmark.ts'

const KIB = 1024

/** How many frames the floor reads, compresses, hashes and writes at a time. */
const AT_ONCE = 3

const SIDES = [PLAIN, 'ipfsz', FLOOR]

/** One add. */
interface Add {
  file: string
  /** An empty directory for the blocks. */
  directory: string
  level: number
  /** Bytes of the pieces in which the source is read. The floor reads whole frames. */
  pieces: number
}

/** Add a file in several ways, beside what an add cannot do without. */
export async function compareAdds (file: string, size: number, directory: string, rounds: number): Promise<Row[]> {
  const rows: Row[] = []

  for (const level of [3, 1]) {
    for (const pieces of [KIB * KIB, 64 * KIB]) {
      progress(`add, zstd ${level}, pieces of ${pieces / KIB} KiB`)
      const times = await compare({ file, directory: join(directory, 'store'), level, pieces }, rounds)
      rows.push(...toRows({ zstd: level, 'source, KiB': pieces / KIB }, size, times))
    }
  }

  return rows
}

async function compare (add: Add, rounds: number): Promise<Map<string, Time[]>> {
  const times = new Map<string, Time[]>(SIDES.map(side => [side, []]))

  // the first round includes compiling the code
  for (let round = 0; round <= rounds; round++) {
    for (const side of rotate(SIDES, round)) {
      await mkdir(add.directory)
      const time = await measure(async () => run(side, add))
      await rm(add.directory, { recursive: true })

      if (round > 0) {
        times.get(side)?.push(time)
      }
    }
  }

  return times
}

async function run (side: string, add: Add): Promise<void> {
  if (side === FLOOR) {
    return compressAlone(add)
  }

  const { file, directory, level, pieces } = add
  const blockstore = new FsBlockstore(directory)
  const source = createReadStream(file, { highWaterMark: pieces })

  await blockstore.open()
  await (side === PLAIN
    ? unixfs({ blockstore }).addByteStream(source)
    : ipfsz({ blockstore }).addByteStream(source, { compression: { codec: 'zstd', level } }))
  await blockstore.close()
}

/** What an add cannot do without: read, compress, hash and write each frame, several at a time. */
async function compressAlone ({ file, directory, level }: Add): Promise<void> {
  const source = await open(file)
  const { size } = await source.stat()
  let next = 0

  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const buffer = Buffer.allocUnsafeSlow(DEFAULT_FRAME_SIZE)

    while (next < size) {
      const start = next
      next += DEFAULT_FRAME_SIZE
      const { bytesRead } = await source.read(buffer, 0, DEFAULT_FRAME_SIZE, start)

      const frame = await promisify(zstdCompress)(buffer.subarray(0, bytesRead), {
        chunkSize: Math.max(64, bytesRead >> 1),
        pledgedSrcSize: bytesRead,
        params: { [constants.ZSTD_c_compressionLevel]: level }
      })
      const name = join(directory, createHash('sha256').update(frame).digest('hex'))
      const target = await open(`${name}.tmp`, 'w')
      await target.writeFile(frame)
      await target.close()
      await rename(`${name}.tmp`, name)
    }
  }))

  await source.close()
}
