import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from 'race-signal'
import { NO_LONGER_NEEDED } from '../../util/no-longer-needed.ts'
import { LOOK_AHEAD, MIN_STEP } from './limits.ts'
import type { SourceBlock, SourceOptions } from '../source.ts'
import type { FilePart } from '../../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** A block that a gateway sent. It matches its CID. */
export interface GatewayBlock extends SourceBlock {
  verified: true
  /** The URL of the gateway. */
  sender: string
}

export interface SourceFetchOptions extends Pick<SourceOptions, 'isFarAhead' | 'part' | 'size'> {
  signal?: AbortSignal | undefined
}

/** A block whose place in a file is known. */
export type PlacedWant = Want & { readonly part: FilePart }

function isPlaced (want: Want): want is PlacedWant {
  return want.part != null
}

/** The reason of the abort of a want that nobody waits for. */
const DROPPED = new DOMException('the block is no longer needed', 'AbortError')

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
  /** Aborts when it has arrived or failed, or nobody waits for it any longer. */
  readonly signal = this.#ended.signal
  #waiting = 0
  /** Bytes that its stream has brought since it was asked for. */
  passed = 0

  constructor (cid: CID, key: string, { part, size, isFarAhead = false }: Omit<SourceFetchOptions, 'signal'>) {
    this.cid = cid
    this.key = key
    this.part = part
    this.size = size
    this.isFarAhead = isFarAhead
    this.#result.promise.catch(() => {})
  }

  /** Whether nothing that follows has to come, as far as it is known: a CAR would have the root of the file again. */
  get isAlone (): boolean {
    const { start, end, here = end } = this.part ?? { start: 0, end: 0 }

    return this.size != null && Math.min(end, here) - start <= this.size
  }

  /** Whether nobody waits any longer, although it has neither arrived nor failed. */
  get isDropped (): boolean {
    return this.signal.reason === DROPPED
  }

  resolve (block: GatewayBlock): void {
    this.#result.resolve(block)
    this.#ended.abort(NO_LONGER_NEEDED)
  }

  reject (err: unknown): void {
    this.#result.reject(err)
    this.#ended.abort(NO_LONGER_NEEDED)
  }

  async wait (signal: AbortSignal): Promise<GatewayBlock> {
    this.#waiting++

    try {
      return await raceSignal(this.#result.promise, signal)
    } finally {
      if (--this.#waiting === 0) {
        this.#ended.abort(DROPPED)
      }
    }
  }
}

/** The blocks that one stream is to bring, by key. */
export class WantedBlocks extends Map<string, Want> {
  readonly #fetchAlone: (want: Want) => void

  constructor (fetchAlone: (want: Want) => void) {
    super()
    this.#fetchAlone = fetchAlone
  }

  /** Those whose place in the file is known, in its order. */
  get placed (): PlacedWant[] {
    return [...this.values()].filter(isPlaced).toSorted((a, b) => a.part.start - b.part.start)
  }

  get unplaced (): Want[] {
    return [...this.values()].filter(want => !isPlaced(want))
  }

  get first (): PlacedWant | undefined {
    return this.placed.at(0)
  }

  /** Where the blocks begin that are waited for, and those that probably follow: leaves of the same size. */
  offsets (fileEnd: number, hasBrought: (offset: number) => boolean): number[] {
    const { placed } = this
    const offsets = placed.map(({ part }) => part.start)
    const last = placed.at(-1)

    if (last?.cid.code === raw.code && last.size != null && last.size > 0) {
      const end = Math.min(offsets[0] + LOOK_AHEAD, fileEnd, last.part.here ?? fileEnd)
      const step = last.size * Math.ceil(MIN_STEP / last.size)

      for (let offset = last.part.start + last.size; offset < end; offset += step) {
        if (!hasBrought(offset)) {
          offsets.push(offset)
        }
      }
    }

    return offsets
  }

  /** The stream does not bring it. */
  fetchAlone (want: Want): void {
    this.delete(want.key)
    this.#fetchAlone(want)
  }
}
