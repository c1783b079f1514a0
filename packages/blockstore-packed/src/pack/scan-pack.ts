import { crc32 } from 'node:zlib'
import { readExactly } from '../disk/disk.ts'
import { GROUP_PREFIX, SEAL, decodeGroupHeader, groupHeaderSize } from '../format/group-header.ts'
import type { DiskFile } from '../disk/disk.ts'
import type { GroupHeader } from '../format/group-header.ts'

/** Bytes that are read at once. */
const READ_SIZE = 1024 * 1024
/** Bytes that are read where a header is expected: most are shorter. */
const FIRST_READ = 16 * 1024
const MAGIC = Buffer.from([0x51, 0x2a, 0x4d, 0x18])

export interface ScannedGroup {
  header: GroupHeader
  /** The bytes of the header, with its tables. */
  bytes: Buffer
  /** Where the next group begins. */
  end: number
}

/** What a pack holds, from an offset on. */
export interface Scan {
  groups: ScannedGroup[]
  /** Where the last whole group ends. */
  end: number
  /** Up to where the pack is surely on the disk. */
  durable: number
  isSealed: boolean
  /** Parts in the middle that are no groups: from, to. */
  damage: Array<[from: number, to: number]>
}

/**
 * Read the headers of a pack's groups. What the pack does not call synced is read and compared with its checksums: a
 * write may be under way, or have been torn by a loss of power.
 *
 * @param from - where a group begins
 * @param durable - up to where the pack is known to be on the disk
 */
export async function scanPack (file: DiskFile, id: string, from: number, durable: number): Promise<Scan> {
  const size = file.size()
  const found: ScannedGroup[] = []
  const damage: Scan['damage'] = []
  let isSealed = false

  for (let position = from; position < size && !isSealed;) {
    let group = await readGroup(file, id, position, size)

    if (group == null) {
      const next = await findGroup(file, id, position + 1, size)

      // what follows a torn group was never acknowledged, but what follows damage was
      if (next == null || next.header.synced <= position) {
        break
      }

      damage.push([position, next.header.offset])
      group = next
    }

    found.push(group)
    durable = Math.max(durable, group.header.synced)
    isSealed = group.header.kind === SEAL
    position = group.end
  }

  const groups: ScannedGroup[] = []
  let end = from

  for (const group of found) {
    if (group.end > durable && group.header.kind !== SEAL && !await hasChecksum(file, group.header)) {
      return { groups, end, durable, isSealed: false, damage }
    }

    groups.push(group)
    end = group.end
  }

  return { groups, end, durable, isSealed, damage }
}

async function readGroup (
  file: DiskFile,
  id: string,
  position: number,
  fileSize: number
): Promise<ScannedGroup | undefined> {
  const first = await readExactly(file, position, Math.min(FIRST_READ, fileSize - position))
  const size = groupHeaderSize(first, 0, id, position)

  if (size == null || position + size > fileSize) {
    return undefined
  }

  const bytes = size <= first.byteLength ? first.subarray(0, size) : await readExactly(file, position, size)
  const header = decodeGroupHeader(bytes)
  const end = position + size + (header?.dataLength ?? 0)

  return header == null || end > fileSize ? undefined : { header, bytes: Buffer.from(bytes), end }
}

/** The next group that begins at an offset or later. */
async function findGroup (
  file: DiskFile,
  id: string,
  start: number,
  fileSize: number
): Promise<ScannedGroup | undefined> {
  for (let position = start; position + GROUP_PREFIX <= fileSize; position += READ_SIZE) {
    // a header may begin at the end of what is read
    const chunk = await readExactly(file, position, Math.min(READ_SIZE + GROUP_PREFIX, fileSize - position))

    for (let at = chunk.indexOf(MAGIC); at >= 0 && at < READ_SIZE; at = chunk.indexOf(MAGIC, at + 1)) {
      const group = groupHeaderSize(chunk, at, id, position + at) == null
        ? undefined
        : await readGroup(file, id, position + at, fileSize)

      if (group != null) {
        return group
      }
    }
  }

  return undefined
}

async function hasChecksum (file: DiskFile, { offset, size, dataLength, dataCrc }: GroupHeader): Promise<boolean> {
  const start = offset + size
  const end = start + dataLength
  let crc = 0

  for (let position = start; position < end; position += READ_SIZE) {
    crc = crc32(await readExactly(file, position, Math.min(READ_SIZE, end - position)), crc)
  }

  return crc === dataCrc
}
