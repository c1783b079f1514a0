// kubo-rpc-client 7.1.0: takes any answer
import { createServer } from 'node:http'
import { create } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'

const cid = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
const server = createServer((_, response) => { response.end(Buffer.alloc(2 ** 24)) })
await new Promise(resolve => { server.listen(0, '127.0.0.1', resolve) })
const block = await create({ url: `http://127.0.0.1:${server.address().port}` }).block.get(cid)

// prints 16777216, though no block has more than 2 MiB; expected: an error
console.info(block.byteLength)
server.closeAllConnections()
server.close()
