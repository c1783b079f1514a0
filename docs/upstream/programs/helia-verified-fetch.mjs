// @helia/verified-fetch 8.0.4: a path that is not percent-encoded UTF-8 is taken for a fault of the server
import { createVerifiedFetchWithHelia } from '@helia/verified-fetch'
import { createHeliaLight } from 'helia'

const fetch = await createVerifiedFetchWithHelia(createHeliaLight())
const { status } = await fetch('ipfs://bafkqaaa/%zz', { session: false })

// prints 400; before: 500
console.info(status)
await fetch.stop()
