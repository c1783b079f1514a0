import { sha256 } from '@noble/hashes/sha2.js'
import { base32 } from 'multiformats/bases/base32'
import { base64pad } from 'multiformats/bases/base64'
import * as raw from 'multiformats/codecs/raw'
import { sha256 as SHA_256 } from 'multiformats/hashes/sha2'
import { followSignal } from '../../follow-signal.ts'
import { OpenedFile } from '../../resolve/opened-file.ts'
import { readFile } from '../read-file.ts'
import type { ResponseContext } from '../context.ts'
import type { ReadFile } from '../read-file.ts'
import type { CID } from 'multiformats/cid'

/** The coding of a zstd stream that needs a dictionary (RFC 9842, section 5). */
export const DCZ = 'dcz'

/** What its header begins with, before the SHA-256 of the dictionary. */
const MAGIC = [0x5e, 0x2a, 0x4d, 0x18, 0x20, 0x00, 0x00, 0x00]

/** Maximum bytes of a dictionary, 16 MiB: as much of a base as a frame may refer back to. */
export const MAX_SIZE = 16 * 1024 * 1024

/** A file that clients have as a dictionary. */
export interface DictionaryFile extends ReadFile {
  plain: CID
  size: number
}

/** What comes before the frame. */
export function dczHeader (digest: string): Uint8Array {
  return Uint8Array.of(...MAGIC, ...base64pad.baseDecode(digest))
}

/** A file as a dictionary, unless it cannot be read, or is too large for one. */
export async function openDictionary (context: ResponseContext, plain: CID): Promise<DictionaryFile | undefined> {
  const { components: { fs }, signal } = context

  try {
    const { markedCid: cid = plain } = await fs.stat(plain, { signal })
    const handle = await fs.open(cid, { signal })
    const { size, codec } = handle.stats

    return size > MAX_SIZE
      ? undefined
      : { plain, size: Number(size), isCompressed: codec !== 'none', file: new OpenedFile(cid, fs, handle) }
  } catch {
    // whatever is missing or broken: reading the file says so
    signal.throwIfAborted()

    return undefined
  }
}

/** The SHA-256 of the original bytes of a dictionary, in base64. Undefined: it cannot be read. */
export async function digestOf (context: ResponseContext, file: DictionaryFile): Promise<string | undefined> {
  const { init: { parts: { caches } }, signal } = context
  const { plain: { code, multihash, bytes } } = file

  // the hash of a raw block is that of the file
  if (code === raw.code && multihash.code === SHA_256.code) {
    return base64pad.baseEncode(multihash.digest)
  }

  try {
    return await caches.digests?.get(base32.baseEncode(bytes), async signal => {
      const hash = sha256.create()

      for await (const bytes of readFile(context, file, followSignal(signal))) {
        hash.update(bytes)
      }

      return base64pad.baseEncode(hash.digest())
    }, signal)
  } catch {
    signal.throwIfAborted()

    return undefined
  }
}
