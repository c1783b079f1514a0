import { describe, expect, it } from 'vitest'
import { clientOf, RequestLimits } from '../src/node/request-limits.ts'

describe('the limits of requests', () => {
  it('refuse what is too many, until others have left', () => {
    const limits = new RequestLimits({ requests: 3, requestsPerAddress: 2 })
    const first = limits.enter('192.0.2.1')
    limits.enter('192.0.2.1')

    expect(limits.enter('192.0.2.1')).toBe(429)
    limits.enter('192.0.2.2')
    expect(limits.enter('192.0.2.3')).toBe(503)

    if (typeof first === 'function') {
      first()
      first()
    }

    expect(limits.requests).toBe(2)
    expect(limits.enter('192.0.2.1')).toBeTypeOf('function')
    expect(limits.enter('192.0.2.1')).toBe(503)
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:0db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['', '']
  ])('count %s as %s', (address, client) => {
    expect(clientOf(address)).toBe(client)
  })
})
