import { publicKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { ipnsValidator } from '@helia/ipns'

type Keychain = Parameters<typeof ipnsValidator>[2]

/** The one method of a keychain that `ipnsValidator` of @helia/ipns calls. Its type asks for all of them. */
export const ipnsKeychain = {
  loadPublicKeyFromProtobuf: async (bytes: Uint8Array) => publicKeyFromProtobuf(bytes)
} as unknown as Keychain
