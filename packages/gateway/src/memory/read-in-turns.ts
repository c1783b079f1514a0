import { copyPart } from './copy-part.ts'
import { PART_SIZE, TURN_OVER, TURN_TIME } from './turns.ts'
import type { Memory } from './client-memory.ts'
import type { MemoryCost, OpenOptions } from './reading.ts'
import type { Share, ShareInit } from './share.ts'

/** How many times as long as opening the source a turn may last: of a stream, all before is decompressed again. */
const TIMES_OPENING = 3

/** How long a turn may last that ends within a chunk, in milliseconds: the chunk has to be read again. */
const LONG_TURN_TIME = 1500

/**
 * How long a client may take for a part of a turn, in milliseconds: as long as it took to read the chunk, so that
 * clients that do not read cost others no more than twice the time, and slow ones no more than twice the work.
 */
const MIN_TAKING_TIME = 25
const MAX_TAKING_TIME = 250

/** How long the source may take for its next bytes then, in milliseconds: longer, as it begins anew. */
const SOURCE_PATIENCE = 10_000

/** What can be read from any byte on. */
export interface Resumable extends MemoryCost {
  /** In bytes. */
  size: number
  /** Read from an offset on. Without reading ahead, a chunk is not used any more when the next one is asked for. */
  open (offset: number, options: OpenOptions): AsyncIterable<Uint8Array>
  /**
   * Asked before each turn whether it may be opened at an offset. If not, reading ends.
   *
   * @default it may always be
   */
  canOpen? (offset: number): boolean
}

/**
 * Read something in turns: each of them waits for memory, and ends when others wait. Of a client that does not read,
 * nothing is kept then but what it was sent last.
 */
export async function * readInTurns (
  source: Resumable,
  memory: Memory,
  signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  let isReturning = false

  for (let at = 0; at < source.size && source.canOpen?.(at) !== false;) {
    const turn = await Turn.begin(source, at, memory, { signal, isReturning })

    try {
      for (let part = await turn.next(); part != null; part = await turn.next()) {
        yield part
        at += part.byteLength
        isReturning = true
      }
    } finally {
      turn.end()
    }

    if (turn.isRead) {
      // if these are fewer bytes than there should be, whoever counts them fails
      return
    }
  }
}

/** Only its own fields hold what is read: those of a generator would live until the client reads on. */
class Turn {
  readonly #open: () => AsyncIterable<Uint8Array>
  readonly #memory: Memory
  readonly #signal: AbortSignal
  readonly #share: Share
  readonly #readAhead: boolean
  readonly #ended = new AbortController()
  readonly #began = performance.now()
  readonly #stop = (): void => { this.#drop(this.#signal.reason) }
  #source: AsyncIterator<Uint8Array> | undefined
  #chunk: Uint8Array | undefined
  #takingTime = MIN_TAKING_TIME
  /** Milliseconds until its first bytes were there. */
  #openingTime: number | undefined
  /** Bytes that the client has, of a chunk that was handed out as a whole. */
  #out = 0
  /** Whether the source has ended, and was not closed. */
  isRead = false

  static async begin (
    source: Resumable,
    at: number,
    memory: Memory,
    init: Pick<ShareInit, 'signal' | 'isReturning'>
  ): Promise<Turn> {
    let turn: Turn | undefined
    const revoke = (): void => {
      if (turn != null) {
        turn.#drop(TURN_OVER)
      }
    }
    const share = await memory.take({
      ...init,
      bytes: memory.isShort ? source.memory : source.memoryAhead,
      patience: SOURCE_PATIENCE,
      revoke
    })

    turn = new Turn(source, at, memory, share)

    return turn
  }

  private constructor (source: Resumable, at: number, memory: Memory, share: Share) {
    // as much as was taken for it
    const readAhead = share.bytes >= source.memoryAhead

    this.#readAhead = readAhead
    this.#memory = memory
    this.#share = share
    this.#signal = share.init.signal
    this.#signal.addEventListener('abort', this.#stop, { once: true })
    this.#open = () => source.open(at, {
      readAhead,
      signal: this.#ended.signal,
      onOpenLinks: change => {
        if (!this.#ended.signal.aborted) {
          share.resize(share.bytes + change)
        }
      }
    })
  }

  /** The next bytes, which the client has read when it is called again. Undefined: the turn is over. */
  async next (): Promise<Uint8Array | undefined> {
    const least = this.#chunk == null ? TURN_TIME : LONG_TURN_TIME
    const time = Math.max(least, TIMES_OPENING * (this.#openingTime ?? 0))
    const isOver = this.#memory.isAwaited && performance.now() - this.#began >= time

    this.#out = 0

    if (isOver || this.#ended.signal.aborted) {
      return undefined
    }

    if (this.#chunk == null) {
      this.#share.touch(SOURCE_PATIENCE)
      const began = performance.now()
      await this.#read()
      this.#takingTime = Math.min(Math.max(performance.now() - began, MIN_TAKING_TIME), MAX_TAKING_TIME)
      this.#openingTime ??= performance.now() - this.#began
    }

    this.#share.touch(this.#takingTime)

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

      // it may be over by now: a source that is closed ends, too
      if (!this.#ended.signal.aborted) {
        this.#chunk = read.done === true ? undefined : read.value
        this.isRead = read.done === true
      }
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
    return copyPart(chunk, 0, PART_SIZE)
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
