import { readExactlyNow } from '../disk/disk.ts'
import { DamagedIndexError } from '../errors.ts'
import { FOOTER_SIZE, SEGMENT_HEADER, decodeTables, sizeOfTables } from './segment-format.ts'
import type { SegmentTables } from './segment-format.ts'
import type { DiskFile } from '../disk/disk.ts'

/** Bytes of the end of a file that are read first: of most files, all tables are in them. */
const FIRST_READ = 16 * 1024

/** @throws {DamagedIndexError} they are damaged, or the file is not whole */
export function readTables (file: DiskFile, name: string): SegmentTables {
  const size = file.size()

  if (size < SEGMENT_HEADER.byteLength + FOOTER_SIZE) {
    throw new DamagedIndexError(name, 'it is too short')
  }

  const end = readPart(file, name, { position: Math.max(0, size - FIRST_READ), length: Math.min(size, FIRST_READ) })
  const tablesSize = sizeOfTables(end.subarray(-FOOTER_SIZE), size) ?? 0
  const bytes = tablesSize <= end.byteLength
    ? end.subarray(end.byteLength - tablesSize)
    : readPart(file, name, { position: size - tablesSize, length: tablesSize })
  const tables = tablesSize === 0 ? undefined : decodeTables(bytes)

  if (tables == null) {
    throw new DamagedIndexError(name, 'its tables are damaged')
  }

  return tables
}

interface Part {
  position: number
  length: number
  /** Where it is read to, if there is memory for it. */
  memory?: Buffer | undefined
}

/** @throws {DamagedIndexError} it cannot be read */
export function readPart (file: DiskFile, name: string, { position, length, memory }: Part): Buffer {
  try {
    return readExactlyNow(file, position, length, memory)
  } catch (cause) {
    throw new DamagedIndexError(name, 'it cannot be read', { cause })
  }
}
