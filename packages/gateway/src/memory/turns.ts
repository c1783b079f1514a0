import { ResponseTooSlowError } from '../errors.ts'
import type { MemoryBudget, Share, ShareInit } from './memory-budget.ts'

/** How long a turn lasts while others wait for memory, in milliseconds: it ends between two chunks, or else later. */
const TURN_TIME = 500
const LONG_TURN_TIME = 1500
/** How long a client may take for a part of a turn, in milliseconds: hundreds that do not read would hold up others. */
const TAKING_TIME = 250
/** How long the source may take for its next bytes then, in milliseconds: longer, as it begins anew. */
const SOURCE_PATIENCE = 10_000
/** How long a client may leave what it was sent, where the response cannot go on later, in milliseconds. */
const CLIENT_PATIENCE = 10_000

/** How much of a chunk is handed out at a time while memory is short: what a client that does not read keeps. */
const PART_SIZE = 64 * 1024

/** The fewest bytes per millisecond that a client takes, of what cannot go on later, while others wait: 32 KiB/s. */
const SLOWEST_RATE = 32 * 1024 / 1000

/** Why a source is closed. Made once: an abort without a reason makes an error, with its stack, each time. */
const TURN_OVER = new DOMException('Others need the memory', 'AbortError')

/** How much memory reading takes, in bytes, and how much if it reads ahead. */
export interface MemoryCost {
  memory: number
  memoryAhead: number
}

/** What can be read from any byte on. */
export interface Resumable extends MemoryCost {
  /** In bytes. */
  size: number
  /** Read from an offset on. Without reading ahead, a chunk is not used any more when the next one is asked for. */
  open (offset: number, readAhead: boolean, signal: AbortSignal): AsyncIterable<Uint8Array>
}

/**
 * Read something in turns: each of them waits for memory, and ends when others wait. Of a client that does not read,
 * nothing is kept then but what it was sent last.
 */
export async function * readInTurns (
  source: Resumable,
  memory: MemoryBudget,
  signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.size;) {
    const start = at
    const turn = await Turn.begin(source, at, memory, signal)

    try {
      for (let part = await turn.next(); part != null; part = await turn.next()) {
        yield part
        at += part.byteLength
      }
    } finally {
      turn.end()
    }

    if (turn.isRead && at === start) {
      // fewer bytes than there should be: whoever counts them fails
      return
    }
  }
}

/** Only its own fields hold what is read: those of a generator would live until the client reads on. */
class Turn {
  readonly #open: () => AsyncIterable<Uint8Array>
  readonly #memory: MemoryBudget
  readonly #signal: AbortSignal
  readonly #share: Share
  readonly #readAhead: boolean
  readonly #ended = new AbortController()
  readonly #began = performance.now()
  readonly #stop = (): void => { this.#drop(this.#signal.reason) }
  #source: AsyncIterator<Uint8Array> | undefined
  #chunk: Uint8Array | undefined
  /** Bytes that the client has, of a chunk that was handed out as a whole. */
  #out = 0
  /** Whether the source has ended. */
  isRead = false

  static async begin (source: Resumable, at: number, memory: MemoryBudget, signal: AbortSignal): Promise<Turn> {
    let turn: Turn | undefined
    const revoke = (): void => {
      if (turn != null) {
        turn.#drop(TURN_OVER)
      }
    }
    const share = await memory.take({
      bytes: memory.isShort ? source.memory : source.memoryAhead,
      signal,
      patience: SOURCE_PATIENCE,
      revoke
    })

    turn = new Turn(source, at, memory, share)

    return turn
  }

  private constructor (source: Resumable, at: number, memory: MemoryBudget, share: Share) {
    // as much as was taken for it
    const readAhead = share.bytes >= source.memoryAhead

    this.#readAhead = readAhead
    this.#memory = memory
    this.#share = share
    this.#signal = share.init.signal
    this.#signal.addEventListener('abort', this.#stop, { once: true })
    this.#open = () => source.open(at, readAhead, this.#ended.signal)
  }

  /** The next bytes, which the client has read when it is called again. Undefined: the turn is over. */
  async next (): Promise<Uint8Array | undefined> {
    const time = this.#chunk == null ? TURN_TIME : LONG_TURN_TIME
    const isOver = this.#memory.isAwaited && performance.now() - this.#began >= time

    this.#out = 0

    if (isOver || this.#ended.signal.aborted) {
      return undefined
    }

    if (this.#chunk == null) {
      this.#share.touch(SOURCE_PATIENCE)
      await this.#read()
    }

    this.#share.touch(TAKING_TIME)

    return this.#takePart()
  }

  end (): void {
    this.#out = 0
    this.#drop(TURN_OVER)
    this.#share.give()
    this.#signal.removeEventListener('abort', this.#stop)
  }

  async #read (): Promise<void> {
    try {
      this.#source ??= this.#open()[Symbol.asyncIterator]()
      const read = await this.#source.next()

      // it may be over by now
      if (!this.#ended.signal.aborted && read.done !== true) {
        this.#chunk = read.value
      }

      this.isRead = read.done === true
    } catch (err) {
      this.#signal.throwIfAborted()

      if (!this.#ended.signal.aborted) {
        throw err
      }
    }
  }

  #takePart (): Uint8Array | undefined {
    const chunk = this.#chunk

    if (chunk == null || (this.#readAhead && !this.#memory.isShort)) {
      this.#chunk = undefined
      this.#out = chunk?.byteLength ?? 0

      return chunk
    }

    this.#chunk = chunk.byteLength > PART_SIZE ? chunk.subarray(PART_SIZE) : undefined

    // a copy, or it would keep the whole chunk
    return chunk.slice(0, PART_SIZE)
  }

  #drop (reason: unknown): void {
    this.#ended.abort(reason)
    // not awaited, because a stalled source would block the caller
    this.#source?.return?.().catch(() => {})
    this.#source = undefined
    this.#chunk = undefined
    this.#share.resize(this.#out)
  }
}

/**
 * Pass on what can be read only once, in turns: each waits for memory, and ends when others wait. The response fails
 * if it moves too slowly then.
 *
 * @param bytes - what it holds while it passes on one chunk, and not between two
 * @param unneeded - aborted when it fails
 */
export async function * passInTurns (
  source: AsyncIterable<Uint8Array>,
  bytes: number,
  memory: MemoryBudget,
  unneeded: AbortController
): AsyncGenerator<Uint8Array> {
  const take = async (): Promise<Share> => memory.take(shareOfBody(bytes, unneeded))
  let began = performance.now()
  let share = await take()

  try {
    for await (const chunk of source) {
      share.touch(CLIENT_PATIENCE)
      yield * partsOf(chunk)

      if (memory.isAwaited && performance.now() - began >= TURN_TIME) {
        share.give()
        share = await take()
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
  open: (readAhead: boolean, signal: AbortSignal) => AsyncIterable<Uint8Array>,
  cost: MemoryCost,
  memory: MemoryBudget,
  unneeded: AbortController
): AsyncGenerator<Uint8Array> {
  const { ofStreams } = memory
  const readAhead = !ofStreams.isShort && !memory.isShort
  const shares: Share[] = []

  try {
    for (const budget of [ofStreams, memory]) {
      shares.push(await budget.take(shareOfBody(readAhead ? cost.memoryAhead : cost.memory, unneeded)))
    }

    for await (const chunk of open(readAhead, unneeded.signal)) {
      for (const part of partsOf(chunk)) {
        yield part
        shares.forEach(share => { prolong(share, part.byteLength / SLOWEST_RATE) })
      }
    }
  } finally {
    shares.forEach(share => { share.give() })
  }
}

/** A client has taken something: it has longer for what follows, but never more than its patience. */
function prolong (share: Share, time: number): void {
  share.since = Math.min(share.since + time, performance.now())
}

function * partsOf (chunk: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < chunk.byteLength; i += PART_SIZE) {
    yield chunk.slice(i, i + PART_SIZE)
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
