import { raceSignal } from 'race-signal'
import type { SourceBlock } from '../source.ts'
import type { FilePart } from '../../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** A block that a gateway sent. It matches its CID. */
export interface GatewayBlock extends SourceBlock {
  verified: true
  /** The URL of the gateway. */
  sender: string
}

export interface SourceFetchOptions {
  /** Which bytes of a file the block holds, and how far the file is read: then one request brings them all. */
  part?: FilePart | undefined
  /** Bytes of the block, if known. */
  size?: number | undefined
  /** Whether it comes much later in the DAG than others that are waited for: another gateway sends it alone. */
  isFarAhead?: boolean | undefined
  signal?: AbortSignal | undefined
}

/** A block that was asked for, and has not arrived. Several calls may wait for it. */
export class Want {
  readonly cid: CID
  readonly key: string
  /** Which bytes of a file it holds, if that is known. */
  readonly part: FilePart | undefined
  /** Bytes of the block, if known. */
  readonly size: number | undefined
  readonly isFarAhead: boolean
  readonly #result = Promise.withResolvers<GatewayBlock>()
  readonly #ended = new AbortController()
  #waiting = 0
  /** Bytes that its stream has brought since it was asked for. */
  passed = 0
  #isSettled = false

  constructor (
    cid: CID,
    key: string,
    { part, size, isFarAhead = false }: Omit<SourceFetchOptions, 'signal'>,
    onEnd: () => void
  ) {
    this.cid = cid
    this.key = key
    this.part = part
    this.size = size
    this.isFarAhead = isFarAhead
    this.#result.promise.catch(() => {})
    this.signal.addEventListener('abort', onEnd, { once: true })
  }

  /** Aborts when it has arrived or failed, or nobody waits for it any longer. */
  get signal (): AbortSignal {
    return this.#ended.signal
  }

  /** Whether nobody waits any longer, although it has neither arrived nor failed. */
  get isDropped (): boolean {
    return this.signal.aborted && !this.#isSettled
  }

  resolve (block: GatewayBlock): void {
    this.#isSettled = true
    this.#result.resolve(block)
    this.#ended.abort()
  }

  reject (err: unknown): void {
    this.#isSettled = true
    this.#result.reject(err)
    this.#ended.abort()
  }

  async wait (signal: AbortSignal): Promise<GatewayBlock> {
    this.#waiting++

    try {
      return await raceSignal(this.#result.promise, signal)
    } finally {
      if (--this.#waiting === 0) {
        this.#ended.abort()
      }
    }
  }
}
