// @helia/unixfs 8.0.5 with ipfs-unixfs-importer 17.1.1: adds ignore their signal
import { unixfs } from '@helia/unixfs'
import { createHeliaLight } from 'helia'

const helia = createHeliaLight()
await helia.start()
// prints a CID; expected: an error
console.info(await unixfs(helia).addBytes(Uint8Array.of(1), { signal: AbortSignal.abort() }))
