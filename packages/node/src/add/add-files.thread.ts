/** Reads files, compresses and hashes them, and keeps their blocks until it is told which of them are new. */
import { workerData } from 'node:worker_threads'
import { encodeBlocks } from '@ipfsz/blockstore-packed/encode'
import { encodeLinks } from '@ipfsz/shared-store/pack-links'
import { createSmallFileEncoder } from '@ipfsz/core/small-files'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { CID } from 'multiformats/cid'
import { serve } from '../threads/serve.ts'
import { LargeFile } from './large-file.ts'
import { readSmallFiles } from './read-small-files.ts'
import { NUMBERS } from './small-files-protocol.ts'
import type { Answer } from '../threads/serve.ts'
import type { EncodedFile } from '@ipfsz/core/small-files'
import type {
  LargeBlocks, NewBlocks, ReadBatch, ReadFiles, ReadLarge, TakeBlocks, ThreadData, TrainedFiles, TrainFiles
} from './small-files-protocol.ts'

/** Bytes of most batches, a byte more for each file, and what they are encoded into. */
const MEMORY = 2.5 * 1024 * 1024

const { options } = workerData as ThreadData
const encoding = createSmallFileEncoder({ ...options, allocate })

/** The blocks of files that were read, and the memory that they are in, by the number of their batch. */
const held = new Map<number, { blocks: EncodedFile['blocks'], memory?: Buffer, ended?: LargeFile | undefined }>()

/** Large files of which a step follows, by their numbers. */
const large = new Map<number, LargeFile>()

/** Memory of batches that were taken: as garbage, it would be there much longer. */
const free: Buffer[] = []

/** In its place while no batch is read. */
const NO_MEMORY = Buffer.alloc(0)

/** That of the batch that is read, and how much of it is in use. */
let memory: Buffer = NO_MEMORY
let used = 0

/** Memory for what a file is encoded into. */
function allocate (size: number): Uint8Array {
  const start = used

  if (start + size > memory.byteLength) {
    return new Uint8Array(size)
  }

  used += size

  return new Uint8Array(memory.buffer, start, size)
}

async function read ({ batch, metadata, dictionaries, assigned, ...files }: ReadBatch): Promise<Answer<ReadFiles>> {
  const encoder = await encoding
  memory = free.pop() ?? NO_MEMORY
  const found = readSmallFiles(files, size => {
    memory = memory.byteLength < size ? Buffer.allocUnsafeSlow(Math.max(size, MEMORY)) : memory
    used = size

    return memory
  })
  const blocks: EncodedFile['blocks'] = []
  const numbers = new Uint32Array(found.length * NUMBERS)

  for (const [i, file] of found.entries()) {
    const dictionary = dictionaries?.[assigned?.[i] ?? -1]
    const atOnce = file == null || dictionary != null ? undefined : encoder?.encode(file.bytes, metadata?.[i])
    const encoded = file == null
      ? undefined
      : atOnce ?? await encoder?.encodeLater(file.bytes, metadata?.[i], dictionary)

    if (file != null && encoded != null) {
      const { size, dagSize, marker = 0, onlyIpfsz = false, hasDictionary = false } = encoded
      const flags = [file.isSame, onlyIpfsz, hasDictionary].map(Number)
      numbers.set([encoded.blocks.length, size, dagSize, marker, ...flags], i * NUMBERS)
      blocks.push(...encoded.blocks)
    }
  }

  held.set(batch, { blocks, memory })
  memory = NO_MEMORY
  const { cids, sizes } = listed(blocks)

  return { result: { numbers, cids, sizes }, transfer: [numbers.buffer, cids.buffer, sizes.buffer] }
}

/** Make the dictionaries of files. */
async function train ({ batch, paths, ...files }: TrainFiles): Promise<Answer<TrainedFiles>> {
  const encoder = await encoding
  let memory = Buffer.alloc(0)
  const found = readSmallFiles(files, size => memory = Buffer.allocUnsafeSlow(size))
  const read = found.flatMap((file, i) => file == null ? [] : { path: paths[i], bytes: file.bytes, i })
  const { dictionaries = [], blocks = [], assigned = [] } = await encoder?.train(read) ?? {}
  const all = new Int32Array(found.length).fill(-1)
  read.forEach(({ i }, k) => { all[i] = assigned[k] })
  held.set(batch, { blocks })
  // it is not kept, as that of a batch: it is sixteen times as much
  freeBytes(memory)

  return { result: { dictionaries, assigned: all, ...listed(blocks) } }
}

/** A step of a large file. */
async function readLarge ({ batch, large: id, path, metadata }: ReadLarge): Promise<Answer<LargeBlocks>> {
  const known = large.get(id)
  const file = known ?? new LargeFile(path ?? '', metadata, await encoding)
  known?.goOn()
  large.set(id, file)
  const { blocks, read, end } = await file.step()

  if (end != null) {
    large.delete(id)
  }

  held.set(batch, { blocks, ended: end == null ? undefined : file })
  const { cids, sizes } = listed(blocks)

  return { result: { cids, sizes, read, end }, transfer: [cids.buffer, sizes.buffer] }
}

/** The CIDs and sizes of blocks. */
function listed (blocks: EncodedFile['blocks']): Pick<ReadFiles, 'cids' | 'sizes'> {
  const cids = new Uint8Array(blocks.reduce((sum, { cid }) => sum + cid.byteLength, 0))
  let at = 0

  for (const { cid } of blocks) {
    cids.set(cid, at)
    at += cid.byteLength
  }

  return { cids, sizes: Uint32Array.from(blocks, ({ bytes }) => bytes.byteLength) }
}

function take ({ batch, wanted, packing }: TakeBlocks): Answer<NewBlocks> {
  const { blocks: all = [], memory, ended } = held.get(batch) ?? {}
  const blocks = all.filter((_, i) => wanted[i] === 1)
  held.delete(batch)
  // what is sent is a copy
  ended?.close()

  if (memory != null) {
    free.push(memory)
  }

  if (packing != null) {
    const plain = blocks.map(({ cid, bytes }) => ({ cid: CID.decode(cid), bytes }))
    const encoded = encodeBlocks(plain, packing)

    return {
      result: { encoded: packing.withLinks ? { ...encoded, links: encodeLinks(plain) } : encoded },
      transfer: [encoded.data.buffer, encoded.table.buffer].filter(buffer => buffer instanceof ArrayBuffer)
    }
  }

  const bytes = Buffer.concat(blocks.map(({ bytes }) => bytes))

  return { result: { bytes } }
}

function answer (
  request: ReadBatch | ReadLarge | TakeBlocks | TrainFiles
): Answer<NewBlocks> | Promise<Answer<ReadFiles | LargeBlocks | TrainedFiles>> {
  if ('wanted' in request) {
    return take(request)
  }

  if ('paths' in request) {
    return train(request)
  }

  return 'large' in request ? readLarge(request) : read(request)
}

serve<ReadBatch | ReadLarge | TakeBlocks | TrainFiles, ReadFiles | LargeBlocks | NewBlocks | TrainedFiles>(answer)
