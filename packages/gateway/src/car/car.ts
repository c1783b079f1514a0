import { isIdentity } from '@ipfsz/core'
import { concat } from '@ipfsz/utils/bytes'
import * as dagCbor from '@ipld/dag-cbor'
import { varint } from 'multiformats'
import { GatewayError } from '../errors.ts'
import { OWN_MEMORY } from './car-memory.ts'
import { entityOf, everythingBelow, fileBelow, rangeBelow, rangeWithin, shardsBelow } from './entity.ts'
import { checkCodec } from '../dag/links.ts'
import { PathLimit } from '../dag/path-limit.ts'
import { walkPath } from './path.ts'
import { blockReader } from '../dag/read-block.ts'
import { SEND_DUPLICATES, SendOnce } from './sent-blocks.ts'
import { sentBlock, walk } from './walk.ts'
import type { CarMemory } from './car-memory.ts'
import type { WalkedPath } from './path.ts'
import type { ReadBlock } from '../dag/read-block.ts'
import type { Scope, SentBlock } from './walk.ts'
import type { Wanted } from './wanted.ts'
import type { GatewayBlocks } from '../contract.ts'
import type { CarParams } from '../request/car-params.ts'
import type { CID } from 'multiformats/cid'

/** Smaller blocks are sent in one chunk with their length and CID, 64 KiB. */
const SMALL_BLOCK = 64 * 1024

/** A CAR whose path is walked, so that nothing but a missing or a damaged block can fail from here. */
export interface OpenedCar {
  /** The plain CID that the path leads to: the root in the CAR's header. */
  root: CID
  /** The bytes of the CAR. Can be read once. */
  bytes: AsyncGenerator<Uint8Array>
}

/** What a CAR is read from, and with. */
export interface CarSource {
  blocks: Pick<GatewayBlocks, 'get'>
  signal: AbortSignal
  /** @default its own */
  memory?: CarMemory
  /** What following the path may cost. */
  limit?: PathLimit
}

/**
 * Open the CAR of a path: the blocks that the path leads through, then those of its end that the
 * scope asks for, depth first (Trustless Gateway, CAR responses). A marked CID gives the CAR of
 * its plain twin. `@ipld/car` is not used: its writer is pushed to, and would have to be driven
 * while its output is pulled.
 *
 * @param names - the path below `cid`
 * @throws {GatewayError} 404: nothing has that path. 501: it ends inside a document. 400: the range
 *   of bytes is outside of the file, or the codec of the path's end is unknown. 422 or 504: the path exceeds its limit
 * @throws {NotFoundError} a block of the path, or of its end, is missing
 * @throws {CorruptBlockError} one of them does not match its CID
 * @throws {InvalidDagError} one of them cannot be decoded
 */
export async function openCar (
  cid: CID,
  names: readonly string[],
  params: CarParams,
  { blocks, signal, memory = OWN_MEMORY, limit = new PathLimit() }: CarSource
): Promise<OpenedCar> {
  const read = blockReader(blocks, signal)
  const path = await walkPath(cid, names, blockReader(blocks, signal, limit), limit)
  const scope = scopeOf(path.end, await read(path.end), params)

  return { root: path.end, bytes: carOf(path, scope, params, { read, memory }) }
}

function * nothingBelow (): Generator<Wanted> {}

function scopeOf (cid: CID, block: Uint8Array, { scope, bytes }: CarParams): Scope {
  const root = { cid }

  if (scope === 'all') {
    checkCodec(cid)

    return { root, below: everythingBelow }
  }

  const entity = scope === 'block' ? undefined : entityOf(cid, block)

  if (entity?.type === 'sharded-directory') {
    return { root, below: shardsBelow }
  }

  if (entity?.type !== 'file') {
    return { root, below: nothingBelow }
  }

  if (bytes == null) {
    return { root, below: fileBelow }
  }

  const { size } = entity
  const range = rangeWithin(bytes, size)

  if (range == null && size > 0 && (bytes.from >= size || (bytes.from < 0 && (bytes.to ?? 0) < -size))) {
    throw new GatewayError(400, `The range of entity-bytes is outside the file, which has ${size} bytes`)
  }

  // an empty range is as dag-scope=block
  return range == null
    ? { root, below: nothingBelow }
    : { root: { cid, part: { start: 0, size } }, below: rangeBelow(range) }
}

/**
 * The bytes of a CARv1 (ipld.io/specs/transport/car/carv1): the header, then each block with its
 * length and CID.
 *
 * @throws {CarTooLargeError} there are more blocks than can be sent without duplicates
 */
async function * carOf (
  { through, end }: WalkedPath,
  scope: Scope,
  { dups }: CarParams,
  { read, memory }: { read: ReadBlock, memory: CarMemory }
): AsyncGenerator<Uint8Array> {
  const sent = dups ? SEND_DUPLICATES : new SendOnce()
  const header = dagCbor.encode({ version: 1, roots: [end] })

  yield concat([lengthPrefix(header.byteLength), header])

  for (const cid of through) {
    if (sent.visit(cid, false).send && !isIdentity(cid)) {
      yield * section(sentBlock(await read(cid), cid, read), memory)
    }
  }

  try {
    for await (const block of walk(scope, read, sent, memory)) {
      yield * section(block, memory)
    }
  } finally {
    memory.hold(0)
  }
}

/** A block, which may be dropped meanwhile: nothing here keeps its bytes. */
async function * section ({ cid, size, block }: SentBlock, memory: CarMemory): AsyncGenerator<Uint8Array> {
  const length = cid.bytes.byteLength + size

  if (length > SMALL_BLOCK) {
    memory.send(block)
    yield concat([lengthPrefix(length), cid.bytes])
    yield * block.parts()
  } else {
    yield concat([lengthPrefix(length), cid.bytes, await block.bytes()])
  }
}

function lengthPrefix (length: number): Uint8Array {
  return varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))
}
