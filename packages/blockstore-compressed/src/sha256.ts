import { from } from 'multiformats/hashes/hasher'
import { sha256 as onThisThread } from 'multiformats/hashes/sha2'

/** Hashing so many bytes takes a fifth of a millisecond, and the way to a thread and back a fourth of that. */
const ELSEWHERE = 256 * 1024

/**
 * The sha2-256 of multiformats, which hashes on this thread in Node. Where several blocks
 * are read at one time they are hashed at one time here.
 */
export const sha256 = from({
  name: onThisThread.name,
  code: onThisThread.code,
  async encode (bytes) {
    // browsers have it where the page is secure, and it takes no shared memory
    return bytes.byteLength < ELSEWHERE || globalThis.crypto?.subtle == null || !(bytes.buffer instanceof ArrayBuffer)
      ? onThisThread.encode(bytes)
      : new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  }
})
