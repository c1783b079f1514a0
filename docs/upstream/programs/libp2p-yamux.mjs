// @libp2p/yamux 8.0.3: initialStreamWindowSize is taken for the window of the other side
import { multiaddrConnectionPair } from '@libp2p/utils'
import { yamux } from '@libp2p/yamux'

const [outbound, inbound] = multiaddrConnectionPair()
const local = yamux({ streamOptions: { initialStreamWindowSize: 16 * 1024 * 1024 } })().createStreamMuxer(outbound)
const remote = yamux()().createStreamMuxer(inbound)
let received = 0
remote.addEventListener('stream', ({ detail: stream }) => {
  stream.addEventListener('message', ({ data }) => {
    received += data.byteLength

    if (received === 1024 * 1024) {
      // prints 1048576
      console.info(received)
      process.exit()
    }
  })
})
// before: ReceiveWindowExceededError
inbound.addEventListener('close', ({ error }) => {
  console.info(error?.name)
  process.exit()
})
const stream = await local.createStream()
stream.send(new Uint8Array(1024 * 1024))
setTimeout(() => {}, 10_000)
