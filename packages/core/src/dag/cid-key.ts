import { CID } from 'multiformats/cid'

/** Maximum number of bytes that are passed as arguments: an identity CID may have more than a call may have. */
const MAX_ARGUMENTS = 64

/**
 * A key for a Map that remembers many CIDs. Not `cid.toString()`: multiformats builds that character by character, and
 * V8 keeps such a string as a tree of its parts, which takes 1.6 KB.
 */
export function cidKey ({ bytes }: Pick<CID, 'bytes'>): string {
  return bytesKey(bytes)
}

/** A string with a character for each byte. */
export function bytesKey (bytes: Uint8Array): string {
  return bytes.byteLength <= MAX_ARGUMENTS
    ? String.fromCharCode.apply(null, bytes as unknown as number[])
    : Array.from(bytes, byte => String.fromCharCode(byte)).join('')
}

/** The bytes of the CID with this key. */
export function keyToBytes (key: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(key.length)

  // not Uint8Array.from, which takes ten times as long
  for (let i = 0; i < key.length; i++) {
    bytes[i] = key.charCodeAt(i)
  }

  return bytes
}

export function keyToCid (key: string): CID {
  return CID.decode(keyToBytes(key))
}
