import { brotli } from './brotli.ts'
import { gzip } from './gzip.ts'
import { lz4 } from './lz4.ts'
import { snappy } from './snappy.ts'
import { zstd } from './zstd.ts'
import type { Codec, CodecInit, CodecName } from './codec.ts'

/** The factory of every codec, by name. */
export const codecs: Readonly<Record<CodecName, (init?: CodecInit) => Codec>> = {
  zstd,
  gzip,
  lz4,
  brotli,
  snappy
}

/** Every codec, each with the implementation that suits this platform best. */
export function allCodecs (): Codec[] {
  return Object.values(codecs).map(create => create())
}
