// helia 7.1.15: no way to a block broker
import type { Helia } from 'helia'

// @ts-expect-error it is private, and nothing else returns one
export type Brokers = Helia['blockBrokers']
