import { codecs } from '@ipfsz/codecs/all'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { text } from './data.ts'
import type { CodecName } from '@ipfsz/codecs'

/** Values that are the same on every platform, see deterministic-values.ts. */
export interface Deterministic {
  /** The CID of a file of 300,000 bytes in frames of 64 KiB. */
  small: string
  /** The CID of a file of 5,000,000 bytes. */
  large: string
  /** The SHA-256 of a frame of 300,000 bytes, at the lowest, default and highest level. */
  frames: [string, string, string]
}

const SMALL = text(300_000)
const LARGE = text(5_000_000)

/** Compute the values of a codec on this platform. */
export async function computeDeterministic (codec: CodecName): Promise<Deterministic> {
  const fs = ipfsz({ blockstore: new MemoryBlockstore() }, { deterministic: true })
  const { compress, levels } = codecs[codec]({ deterministic: true })
  const hashFrame = async (level: number): Promise<string> => sha256(await compress(SMALL, { level }))

  return {
    small: (await fs.addBytes(SMALL, { compression: { codec, frameSize: 64 * 1024 } })).toString(),
    large: (await fs.addBytes(LARGE, { compression: { codec } })).toString(),
    frames: [await hashFrame(levels.min), await hashFrame(levels.default), await hashFrame(levels.max)]
  }
}

async function sha256 (bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))

  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}
