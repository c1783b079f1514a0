// @libp2p/noise 17.0.3: connections end on Bun
import { defaultCrypto } from '@libp2p/noise/crypto'

const bytes = new Uint8Array(2000)

// prints 2016 with Node and Deno, and ends with the error Unknown cipher with Bun
console.info(defaultCrypto.chaCha20Poly1305Encrypt(bytes, new Uint8Array(12), new Uint8Array(0), new Uint8Array(32))
  .byteLength)
