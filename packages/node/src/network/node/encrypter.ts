import { createDecipheriv } from 'node:crypto'
import { noise, pureJsCrypto } from '@libp2p/noise'

/**
 * The encryption of connections. Noise takes ChaCha20-Poly1305 from the platform for messages that are not small. Bun
 * does not have it ("Unknown cipher"), and each connection would end with the first block.
 */
export function encrypter (): ReturnType<typeof noise> {
  return hasChaCha20() ? noise() : noise({ crypto: pureJsCrypto })
}

function hasChaCha20 (): boolean {
  try {
    createDecipheriv('chacha20-poly1305', new Uint8Array(32), new Uint8Array(12), { authTagLength: 16 })

    return true
  } catch {
    return false
  }
}
