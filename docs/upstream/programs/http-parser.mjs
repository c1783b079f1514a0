// @libp2p/http-fetch 4.0.4 and @libp2p/http-utils 2.0.6: no backpressure, and a parser that can hang
import { Worker } from 'node:worker_threads'

const worker = new Worker(`
  import { HTTPParser } from '@achingbrain/http-parser-js'

  new HTTPParser('RESPONSE').execute(Buffer.from('HTTP/1.1 200 OK\\r\\ncontent-length: -40\\r\\n\\r\\nx'))
`, { eval: true })

const parsed = new Promise(resolve => { worker.once('exit', () => { resolve('parsed') }) })
const late = new Promise(resolve => { setTimeout(resolve, 2000, 'reads the same bytes for ever') })

console.info(await Promise.race([parsed, late]))
await worker.terminate()
