// @helia/verified-fetch 8.0.4: plugins do not get all requests
import { createVerifiedFetchWithHelia } from '@helia/verified-fetch'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'

const cid = CID.createV1(0x300001, identity.digest(Uint8Array.of(1)))
const helia = createHeliaLight()
helia.addBlockBroker({ name: 'nobody', createSession: () => ({ name: 'nobody', addPeer: async () => {} }) })
const fetch = await createVerifiedFetchWithHelia(helia, {
  plugins: [() => ({ id: 'mine', canHandle: () => true, handle: async () => new Response('mine') })]
})
const requests = [
  fetch(`ipfs://${cid}/a`),
  fetch(`ipfs://${cid}/a`, { headers: { accept: 'text/html' } }),
  fetch(`ipfs://${cid}/%zz`)
]

// prints 200, 406, 500; expected: 200, 200, 400
console.info((await Promise.all(requests)).map(({ status }) => status).join(', '))
await fetch.stop()
