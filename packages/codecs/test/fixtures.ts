import { codecs } from '../src/all.ts'
import { BROTLI, GZIP, LZ4, SNAPPY, ZSTD } from '../src/implementations.ts'
import type { Codec, CodecName, ImplementationEntry } from '../src/codec.ts'

export const TABLE: Readonly<Record<CodecName, readonly ImplementationEntry[]>> = {
  zstd: ZSTD,
  gzip: GZIP,
  lz4: LZ4,
  brotli: BROTLI,
  snappy: SNAPPY
}

export const NAMES = Object.keys(TABLE) as CodecName[]

/** Every implementation of every codec, all of which run in Node. */
export const ALL: Codec[] = NAMES.flatMap(name => TABLE[name].map(entry => codecs[name]({ implementation: entry.name })))

/** fzstd cannot compress. */
export const WRITERS = ALL.filter(codec => !(codec.name === 'zstd' && codec.implementation === 'js'))

export function label (codec: Codec): string {
  return `${codec.name} (${codec.implementation})`
}

export { noise, random, text } from '../../../test/support/data.ts'
