import { ResponseTooSlowError } from '../errors.ts'
import { copyPart } from './copy-part.ts'
import type { Memory } from './client-memory.ts'
import type { MemoryCost, OpenOptions } from './reading.ts'
import type { Share, ShareInit } from './share.ts'

/** How long a turn lasts while others wait for memory, in milliseconds, if it can end between two chunks. */
export const TURN_TIME = 500

/** How long a client may leave what it was sent, where the response cannot go on later, in milliseconds. */
const CLIENT_PATIENCE = 10_000

/** The same for what is read again when it is needed, as it is in the blockstore. */
const BLOCK_PATIENCE = 250

/** How much of a chunk is handed out at a time while memory is short: what a client that does not read keeps. */
export const PART_SIZE = 64 * 1024

/** The fewest bytes per millisecond that a client takes, of what cannot go on later, while others wait: 32 KiB/s. */
const SLOWEST_RATE = 32 * 1024 / 1000

/** Why a source is closed. Made once: an abort without a reason makes an error, with its stack, each time. */
export const TURN_OVER = new DOMException('Others need the memory', 'AbortError')

export interface PassInit {
  /** What it holds while it passes on one chunk, and not between two. */
  bytes: number
  memory: Memory
  /** Aborted when it fails. */
  unneeded: AbortController
  /** What it has already. */
  share?: Share | undefined
  /**
   * Let go of what the client is sent, which the source reads again when it is asked for more. False: it cannot.
   *
   * @default it never can
   */
  drop? (): boolean
}

/**
 * Pass on what can be read only once, in turns: each waits for memory, and ends when others wait. If it moves too
 * slowly then, it lets go of what it sends, or fails if it cannot.
 */
export async function * passInTurns (
  source: AsyncIterable<Uint8Array>,
  { bytes, memory, unneeded, share: first, drop }: PassInit
): AsyncGenerator<Uint8Array> {
  let isWithClient = false
  let isPatient = false
  const init = shareOfBody(bytes, unneeded)
  const { revoke: fail } = init
  init.revoke = () => {
    if (isWithClient && drop?.() === true) {
      share.give()
    } else if (isWithClient && drop != null && !isPatient) {
      // nothing of what it was sent is here: its client has as long as those whose responses cannot go on later
      isPatient = true
      share.touch(CLIENT_PATIENCE)
    } else {
      fail()
    }
  }

  let share = first ?? await memory.take(init)
  share.init.revoke = init.revoke
  let began = performance.now()

  try {
    for await (const chunk of source) {
      for (const part of partsOf(chunk)) {
        share.touch(drop == null ? CLIENT_PATIENCE : BLOCK_PATIENCE)
        isWithClient = true
        isPatient = false
        yield part
        isWithClient = false
      }

      if (share.bytes === 0 || (memory.isAwaited && performance.now() - began >= TURN_TIME)) {
        drop?.()
        share.give()
        share = await memory.take({ ...init, isReturning: true })
        began = performance.now()
      }

      share.touch(CLIENT_PATIENCE)
    }
  } finally {
    share.give()
  }
}

/**
 * Pass on what can be read only once, and holds its memory to its end. The response fails if its client is too slow
 * while others wait.
 *
 * @param memory - of which such responses take no more than a half: others always have the rest
 * @param unneeded - aborted when it fails
 */
export async function * passThrough (
  open: (options: OpenOptions) => AsyncIterable<Uint8Array>,
  cost: MemoryCost,
  memory: Memory,
  unneeded: AbortController
): AsyncGenerator<Uint8Array> {
  const { ofStreams } = memory
  const readAhead = !ofStreams.isShort && !memory.isShort
  const shares: Share[] = []

  try {
    for (const budget of [ofStreams, memory]) {
      shares.push(await budget.take(shareOfBody(readAhead ? cost.memoryAhead : cost.memory, unneeded)))
    }

    const onOpenLinks = (change: number): void => { shares.forEach(share => { share.resize(share.bytes + change) }) }

    for await (const chunk of open({ readAhead, signal: unneeded.signal, onOpenLinks })) {
      for (const part of partsOf(chunk)) {
        yield part
        shares.forEach(share => { share.prolong(part.byteLength / SLOWEST_RATE) })
      }
    }
  } finally {
    shares.forEach(share => { share.give() })
  }
}

function * partsOf (chunk: Uint8Array): Generator<Uint8Array> {
  const isPart = chunk.byteLength <= PART_SIZE && chunk.byteLength === chunk.buffer.byteLength

  for (let i = 0; i < chunk.byteLength; i += PART_SIZE) {
    yield isPart ? chunk : copyPart(chunk, i, i + PART_SIZE)
  }
}

/** A share of a body that cannot go on later: it fails if it holds the share for too long while others wait. */
export function shareOfBody (bytes: number, unneeded: AbortController): ShareInit {
  return {
    bytes,
    signal: unneeded.signal,
    patience: CLIENT_PATIENCE,
    revoke: () => { unneeded.abort(new ResponseTooSlowError()) }
  }
}
