import type { CounterGroup, MessageStreamDirection, Metrics } from '@libp2p/interface'

/** Bytes in one direction. */
export interface ByteCount {
  /** Uncompressed bytes. */
  raw: number
  /** Compressed bytes, including frame headers, before encryption. */
  compressed: number
}

/** Bytes sent and received over a compressed connection so far. */
export interface ConnectionTraffic {
  /** The protocol id that was negotiated. */
  readonly protocol: string
  readonly direction: MessageStreamDirection
  readonly sent: Readonly<ByteCount>
  readonly received: Readonly<ByteCount>
}

const METRIC_NAME = 'libp2p_compression_bytes_total'

/** A metric may be registered only once, for all protocols. */
const groups = new WeakMap<Metrics, CounterGroup>()

/** Counts the bytes of one connection. */
export class Traffic implements ConnectionTraffic {
  readonly protocol: string
  readonly direction: MessageStreamDirection
  readonly sent: ByteCount = { raw: 0, compressed: 0 }
  readonly received: ByteCount = { raw: 0, compressed: 0 }
  readonly #group: CounterGroup | undefined

  constructor (protocol: string, direction: MessageStreamDirection, metrics?: Metrics) {
    this.protocol = protocol
    this.direction = direction
    this.#group = metrics == null ? undefined : counterGroup(metrics)
  }

  count (way: 'sent' | 'received', raw: number, compressed: number): void {
    this[way].raw += raw
    this[way].compressed += compressed
    this.#group?.increment({
      [`${this.protocol} ${way} raw`]: raw,
      [`${this.protocol} ${way} compressed`]: compressed
    })
  }
}

function counterGroup (metrics: Metrics): CounterGroup {
  let group = groups.get(metrics)

  if (group == null) {
    group = metrics.registerCounterGroup(METRIC_NAME, {
      label: 'protocol',
      help: 'Bytes before and after compression, by protocol and direction'
    })
    groups.set(metrics, group)
  }

  return group
}
