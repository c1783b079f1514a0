import { randomBytes } from 'node:crypto'
import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { compressInPool, encodeWith } from '../encode/encode-blocks.ts'
import { BlockReader } from '../pack/block-reader.ts'
import { PackFiles } from '../pack/pack-files.ts'
import { Appender } from './appender.ts'
import { Maintenance } from './maintenance.ts'
import { View } from './view.ts'
import { WriteQueue } from './write-queue.ts'
import type { PackedBlockstoreComponents } from '../contract.ts'
import type { Disk } from '../disk/disk.ts'
import type { EncodedBlocks, PlainBlock } from '../encode/encode-blocks.ts'

/** What a store consists of. */
export interface StoreParts {
  disk: Disk
  files: PackFiles
  reader: BlockReader
  view: View
  appender: Appender
  queue: WriteQueue
  maintenance: Maintenance
  encode: (blocks: PlainBlock[]) => Promise<EncodedBlocks>
  packSize: number
  /** Whether `get` hashes each block. */
  verify: boolean
  /** Reads are mostly synchronous: a loop of them would keep timers, signals and sockets waiting. */
  breaks: EventLoopBreaks
}

export interface StorePartsInit extends PackedBlockstoreComponents {
  disk: Disk
  level: number
  packSize: number
  verify: boolean
}

export function makeParts (
  { disk, level, packSize, verify, compress = compressInPool, newId = randomId }: StorePartsInit
): StoreParts {
  const files = new PackFiles(disk)
  const view = new View({ disk, files, newId })
  const maintenance = new Maintenance({ disk, view, newId })
  const appender = new Appender({ disk, view, newId }, packSize, async () => maintenance.tidy())
  const encode = async (blocks: PlainBlock[]): Promise<EncodedBlocks> => encodeWith(compress, level, blocks)

  return {
    disk,
    files,
    reader: new BlockReader(files),
    view,
    appender,
    queue: new WriteQueue(view, appender, encode),
    maintenance,
    encode,
    packSize,
    verify,
    breaks: new EventLoopBreaks()
  }
}

function randomId (): string {
  return randomBytes(16).toString('hex')
}
