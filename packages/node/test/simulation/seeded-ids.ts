import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { Random } from '../../../../test/support/random.ts'

/** Make the IDs of sessions, packs and rounds follow from a seed. @returns what takes that back */
export function seededIds (seed: number): () => void {
  const { randomBytes } = crypto
  const random = new Random(seed + 0x5eed)
  crypto.randomBytes = ((size: number) =>
    Buffer.from(Array.from({ length: size }, () => random.below(256)))) as typeof randomBytes
  syncBuiltinESMExports()

  return () => {
    crypto.randomBytes = randomBytes
    syncBuiltinESMExports()
  }
}
