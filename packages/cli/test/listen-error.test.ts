import { describe, expect, it } from 'vitest'
import { listenError } from '../src/network/node/listen-error.ts'

/** The message of libp2p 3.3.11. */
const message = (address: string, reason: string): string =>
  'Some configured addresses failed to be listened on, you may need to remove one or more listen addresses from your ' +
  `configuration or set \`transportManager.faultTolerance\` to NO_FATAL:\n\n  ${address}: Error: listen ${reason}\n` +
  '    at Server.setupListenHandle [as _listen2] (node:net:2328:16)\n'

describe('the error of a node that cannot listen', () => {
  it.for([
    ['/ip4/0.0.0.0/tcp/4101', '4101'],
    ['/ip6/::/tcp/4102/ws', '4102'],
    ['/ip4/0.0.0.0/udp/4103/webrtc-direct', '4103']
  ])('names the busy port of %s, and the ways out', async ([address, port]) => {
    const err = await listenError(new Error(message(address, `EADDRINUSE: address already in use 0.0.0.0:${port}`)))

    expect(err).toMatchObject({ name: 'ListenError', address, code: 'EADDRINUSE' })
    expect(err?.message).toContain(`:${port}`)
    expect(err?.message).toContain('--listen')
    expect(err?.message).not.toContain('node:net')
  })

  it('names an address that the machine does not have', async () => {
    await expect(listenError(new Error(message('/ip4/192.0.2.1/tcp/1', 'EADDRNOTAVAIL: address not available'))))
      .resolves.toMatchObject({ name: 'ListenError', address: '/ip4/192.0.2.1/tcp/1', code: 'EADDRNOTAVAIL' })
  })

  it('is no other error', async () => {
    await expect(listenError(new Error('something else'))).resolves.toBeUndefined()
    await expect(listenError('text')).resolves.toBeUndefined()
  })
})
