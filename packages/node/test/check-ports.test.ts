import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkPorts } from '../src/network/node/check-ports.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'

async function bindUdp (): Promise<number> {
  const socket = createSocket('udp4')
  onTestFinished(() => { socket.close() })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  return socket.address().port
}

describe('the addresses of a node', () => {
  it.for([
    ['tcp', '', async () => listenInTest(createServer())],
    ['tcp', '/ws', async () => listenInTest(createServer())],
    ['udp', '/webrtc-direct', bindUdp]
  ] as const)('are refused if their %s port is in use: %s', async ([protocol, end, occupy]) => {
    const port = await occupy()
    const address = `/ip4/127.0.0.1/${protocol}/${port}${end}`

    await expect(checkPorts(['/ip4/127.0.0.1/tcp/0', address])).rejects.toMatchObject({
      name: 'ListenError',
      code: 'EADDRINUSE',
      address,
      message: expect.stringContaining('another program')
    })
  })

  it('are refused if the machine does not have them', async () => {
    for (const address of ['/ip4/192.0.2.250/udp/4103/webrtc-direct', '/ip4/192.0.2.250/tcp/0']) {
      await expect(checkPorts([address])).rejects.toMatchObject({ name: 'ListenError', code: 'EADDRNOTAVAIL', address })
    }
  })

  it('are left to the node if they are free, have any port, or no IP address', async () => {
    await expect(checkPorts(['/ip4/127.0.0.1/udp/0', '/dns4/localhost/tcp/80', 'nonsense'])).resolves.toBeUndefined()
  })
})
