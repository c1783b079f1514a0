import { brotli } from './brotli.ts'
import { gzip } from './gzip.ts'
import { lz4 } from './lz4.ts'
import { lzo } from './lzo.ts'
import { snappy } from './snappy.ts'
import { zstd } from './zstd.ts'
import type { Codec, CodecInit, CodecName } from './codec.ts'

/** The factory of every codec, by name. */
export const codecs: Readonly<Record<CodecName, (init?: CodecInit) => Codec>> = {
  zstd,
  gzip,
  lz4,
  brotli,
  snappy,
  lzo
}

/** One instance of every codec, each with the best implementation for this platform. */
export function allCodecs (init?: Omit<CodecInit, 'implementation'>): Codec[] {
  return Object.values(codecs).map(create => create(init))
}
