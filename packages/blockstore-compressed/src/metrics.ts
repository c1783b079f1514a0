import { InvalidParametersError } from './errors.ts'
import type { StoredAs } from './value/read-value.ts'
import type { CounterGroup, Metrics } from '@libp2p/interface'

/** A block that was put or got. */
export interface Counted {
  storedAs: StoredAs
  /** Bytes of the block. */
  size: number
  /** Bytes stored for it. */
  storedSize: number
}

interface Counters {
  blocks: CounterGroup
  bytes: CounterGroup
  storedBytes: CounterGroup
}

/** Counts blocks and bytes by codec, for puts and for gets. */
export class BlockCounters {
  readonly #put: Counters | undefined
  readonly #get: Counters | undefined

  /** @throws {InvalidParametersError} */
  constructor (metrics?: Pick<Metrics, 'registerCounterGroup'>) {
    if (metrics != null && typeof metrics.registerCounterGroup !== 'function') {
      throw new InvalidParametersError(
        'metrics has no method registerCounterGroup: pass the metrics of Helia or libp2p'
      )
    }

    this.#put = metrics && register(metrics, 'put')
    this.#get = metrics && register(metrics, 'get')
  }

  countPut (counted: Counted): void {
    count(this.#put, counted)
  }

  countGet (counted: Counted): void {
    count(this.#get, counted)
  }
}

function register (metrics: Pick<Metrics, 'registerCounterGroup'>, verb: 'put' | 'get'): Counters {
  const group = (what: string, help: string): CounterGroup =>
    metrics.registerCounterGroup(`ipfsz_blockstore_${verb}_${what}_total`, { label: 'codec', help })

  return {
    blocks: group('blocks', `Blocks ${verb}, by the codec they are stored with`),
    bytes: group('bytes', 'Bytes of these blocks'),
    storedBytes: group('stored_bytes', 'Bytes stored for these blocks')
  }
}

function count (counters: Counters | undefined, { storedAs, size, storedSize }: Counted): void {
  counters?.blocks.increment({ [storedAs]: 1 })
  counters?.bytes.increment({ [storedAs]: size })
  counters?.storedBytes.increment({ [storedAs]: storedSize })
}
