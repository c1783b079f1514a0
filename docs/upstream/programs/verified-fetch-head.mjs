// @helia/verified-fetch 8.0.4: every HEAD is answered with 200
import { createVerifiedFetchWithHelia } from '@helia/verified-fetch'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'

const cid = CID.createV1(0x300001, identity.digest(Uint8Array.of(1)))
const handle = async () => new Response(null, { status: 404 })
const helia = createHeliaLight()
helia.addBlockBroker({ name: 'nobody', createSession: () => ({ name: 'nobody', addPeer: async () => {} }) })
const fetch = await createVerifiedFetchWithHelia(helia, {
  plugins: [() => ({ id: 'mine', canHandle: () => true, handle })]
})
const requests = [undefined, { method: 'HEAD' }, { headers: { 'if-none-match': '*' } }]
const responses = await Promise.all(requests.map(async init => fetch(`ipfs://${cid}/a`, init)))

// prints 404, 200, 304; expected: 404 three times
console.info(responses.map(({ status }) => status).join(', '))
await fetch.stop()
