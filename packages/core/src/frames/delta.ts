import type { DeltaCodec } from '@ipfsz/codecs/zstd-delta'

/** More, 1 MiB of original bytes, would keep the calling thread too long. */
export const MAX_DELTA_SIZE = 1024 * 1024

/** Larger dictionaries, of more than 2 MiB, would make it keep more memory. Ours have 512 KiB more than a frame. */
export const MAX_DELTA_DICTIONARY = 2 * 1024 * 1024

/** Where what changed takes more than a 32nd of a frame, libzstd finds more, and reads it as quickly. */
const MAX_SHARE = 1 / 32

let loading: Promise<DeltaCodec | undefined> | undefined

/**
 * What compresses and decompresses frames by what changed. Undefined: it cannot be loaded, as in a page that is
 * offline, or there is no WebAssembly. libzstd does it then.
 */
export async function loadDelta (): Promise<DeltaCodec | undefined> {
  loading ??= import('@ipfsz/codecs/zstd-delta').then(async ({ DeltaCodec }) => DeltaCodec.create())

  try {
    return await loading
  } catch {
    // the next call tries again
    loading = undefined

    return undefined
  }
}

/** Whether a frame of zstd says little more than what stayed where in its base. */
export function isDelta ({ byteLength }: Uint8Array, size: number): boolean {
  return size <= MAX_DELTA_SIZE && byteLength <= size * MAX_SHARE
}
