import { MAX_BLOCK_SIZE } from '../dag/read-block.ts'
import { BlockBox } from '../memory/block-box.ts'
import { passInTurns, shareOfBody } from '../memory/turns.ts'
import { UNCOUNTED } from './read-file.ts'
import { openResponseBody } from './body.ts'
import type { ResponseContext } from './context.ts'
import type { Share } from '../memory/share.ts'

/**
 * How long a block that is being read counts while others wait, in milliseconds. One that takes longer is fetched: most
 * of that time there is nothing to be held.
 */
const READING_TIME = 50

/** The bytes that are sent at a time. */
const CHUNK_SIZE = 64 * 1024

/**
 * Read something that is held until it is sent, within the memory of all responses. Nothing is held while it waits
 * for that: it is read again then.
 *
 * @param unneeded - aborted when the client is too slow while others wait. Give the share back by it, or at the end
 */
export async function readWhole<T> (
  read: () => Promise<T>,
  sizeOf: (value: T) => number,
  { init: { memory } }: Pick<ResponseContext, 'init'>,
  unneeded: AbortController
): Promise<{ value: T, share?: Share | undefined }> {
  const { ofSmall } = memory
  const reading: Share = await ofSmall.take({
    bytes: MAX_BLOCK_SIZE,
    signal: unneeded.signal,
    patience: READING_TIME,
    revoke: () => { reading.give() }
  })
  let size: number

  try {
    const value = await read()
    size = sizeOf(value)
    const share = size <= UNCOUNTED ? undefined : memory.takeNow(shareOfBody(size, unneeded))

    if (size <= UNCOUNTED || share != null) {
      return { value, share }
    }
  } finally {
    reading.give()
  }

  const share = await memory.take(shareOfBody(size, unneeded))

  return { value: await read(), share }
}

/** The body of bytes that are held as a whole. */
export async function wholeBody (
  context: ResponseContext,
  bytes: Uint8Array,
  unneeded: AbortController,
  share: Pick<Share, 'give'>
): Promise<BodyInit> {
  return openResponseBody(context, () => chunksOf(bytes, share), { unneeded, length: bytes.byteLength })
}

export interface BlockBodyInit {
  /** Nothing else may keep them. */
  bytes: Uint8Array
  /** Reads the same bytes again. */
  again: () => Promise<Uint8Array>
  /** Aborted when the client is too slow while others wait. */
  unneeded: AbortController
  /** Undefined if they are few. */
  share: Share | undefined
}

/** The body of a block, which is let go of while a client does not read and others wait. */
export async function blockBody (
  context: ResponseContext,
  { bytes, again, unneeded, share }: BlockBodyInit
): Promise<BodyInit> {
  const { byteLength } = bytes

  if (share == null) {
    // blocks are never in shared memory
    return bytes as Uint8Array<ArrayBuffer>
  }

  const { memory } = context.init
  const box = new BlockBox(bytes, again)
  const drop = (): boolean => box.drop()

  return openResponseBody(
    context,
    () => passInTurns(box.parts(), { bytes: byteLength, memory, unneeded, share, drop }),
    { unneeded, length: byteLength }
  )
}

/** Bytes in pieces that share their memory: `Response` would copy them. */
export async function * chunksOf (bytes: Uint8Array, share: Pick<Share, 'give'>): AsyncGenerator<Uint8Array> {
  try {
    for (let i = 0; i < bytes.byteLength; i += CHUNK_SIZE) {
      yield bytes.subarray(i, i + CHUNK_SIZE)
    }
  } finally {
    share.give()
  }
}
