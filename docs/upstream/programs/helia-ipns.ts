// @helia/ipns 10.1.0: ipnsValidator asks for a whole keychain
import { ipnsValidator } from '@helia/ipns'
import { publicKeyFromProtobuf } from '@libp2p/crypto/keys'

const keychain = { loadPublicKeyFromProtobuf: async (bytes: Uint8Array) => publicKeyFromProtobuf(bytes) }

export async function validate (routingKey: Uint8Array, record: Uint8Array): Promise<void> {
  // @ts-expect-error it works, but the type asks for 7 more
  await ipnsValidator(routingKey, record, keychain)
}
