import { createDecipheriv } from 'node:crypto'
import { noise, pureJsCrypto } from '@libp2p/noise'
import { sendTogether } from '../helia-internals/send-together.ts'
import type { MessageStream } from '@libp2p/interface'

/**
 * The encryption of connections. Noise takes ChaCha20-Poly1305 from the platform for messages that are not small. Bun
 * does not have it ("Unknown cipher"), and each connection would end with the first block.
 */
export function encrypter (): ReturnType<typeof noise> {
  const create = hasChaCha20() ? noise() : noise({ crypto: pureJsCrypto })

  return components => {
    const created = create(components)
    const { secureInbound, secureOutbound } = created

    // here every connection comes by, before anything else is sent
    return Object.assign(created, {
      secureInbound: async (connection: MessageStream, options?: Parameters<typeof secureInbound>[1]) => {
        sendTogether(connection)

        return secureInbound.call(created, connection, options)
      },
      secureOutbound: async (connection: MessageStream, options?: Parameters<typeof secureOutbound>[1]) => {
        sendTogether(connection)

        return secureOutbound.call(created, connection, options)
      }
    })
  }
}

function hasChaCha20 (): boolean {
  try {
    createDecipheriv('chacha20-poly1305', new Uint8Array(32), new Uint8Array(12), { authTagLength: 16 })

    return true
  } catch {
    return false
  }
}
