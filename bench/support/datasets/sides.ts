import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { AddOptions } from '@ipfsz/core'

const KIB = 1024

/** How a file is added. */
export interface Side {
  side: string
  options: AddOptions
}

/** Frames and blocks in KiB. A block is shared by frames up to its size. */
function framed (frame: number, block: number): Side {
  return {
    side: `frames of ${frame} KiB, blocks of up to ${block} KiB`,
    options: { compression: { codec: 'zstd', frameSize: frame * KIB, leafSize: block * KIB, detect: false } }
  }
}

function plain (block: number): Side {
  return {
    side: `plain, blocks of ${block} KiB`,
    options: { compression: { codec: 'none' }, chunker: fixedSize({ chunkSize: block * KIB }) }
  }
}

/** With the option itself: it decides about filters on the first MiB, where frames of this size decide on the first. */
const ranges: Side = {
  ...framed(64, 64),
  options: { compression: { codec: 'zstd', optimize: 'ranges', detect: false } }
}

/** As Helia stores files, `--optimize ranges`, and the default. */
export const [PLAIN, RANGES, DEFAULT] = [plain(1024), ranges, framed(4096, 1024)]

/** Each takes about ten seconds of the link: those that docs/guide/datasets.md compares. */
export const SIDES: readonly Side[] = [
  PLAIN,
  plain(64),
  framed(64, 1),
  RANGES,
  framed(64, 256),
  framed(64, 1024),
  framed(256, 128),
  framed(1024, 1024),
  DEFAULT
]

/** The sides that Parquet is measured with. */
export const PARQUET_SIDES: readonly Side[] = [PLAIN, RANGES, DEFAULT]
