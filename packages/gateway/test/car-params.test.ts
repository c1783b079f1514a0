import { describe, expect, it } from 'vitest'
import { carParams } from '../src/request/car-params.ts'

const params = (query: string, accept: Record<string, string> = {}): ReturnType<typeof carParams> =>
  carParams(new URLSearchParams(query), accept)

describe('parameters of a CAR', () => {
  it('sends everything once by default', () => {
    expect(params('')).toEqual({ scope: 'all', dups: false })
  })

  it('reads the scope, and implies it by a range', () => {
    for (const scope of ['block', 'entity', 'all']) {
      expect(params(`dag-scope=${scope}`).scope).toBe(scope)
    }

    expect(params('entity-bytes=0:*')).toEqual({ scope: 'entity', bytes: { from: 0 }, dups: false })
  })

  it.each([
    ['0:0', { from: 0, to: 0 }],
    ['5:*', { from: 5 }],
    ['-1024:*', { from: -1024 }],
    ['499:-1000', { from: 499, to: -1000 }],
    ['-9:-3', { from: -9, to: -3 }],
    ['-9:3', { from: -9, to: 3 }]
  ])('reads the range %s', (text, bytes) => {
    expect(params(`entity-bytes=${text}`).bytes).toEqual(bytes)
  })

  it('takes dups from the URL, then from Accept', () => {
    expect(params('', { dups: 'y' }).dups).toBe(true)
    expect(params('car-dups=n', { dups: 'y' }).dups).toBe(false)
    expect(params('car-dups=y&car-order=dfs&car-version=1', { dups: 'x', order: 'x', version: '9' }).dups).toBe(true)
    expect(params('car-order=unk').dups).toBe(false)
  })

  it.each([
    'dag-scope=some', 'dag-scope=', 'entity-bytes=', 'entity-bytes=0', 'entity-bytes=0:', 'entity-bytes=:5',
    'entity-bytes=*:5', 'entity-bytes=a:b', 'entity-bytes=5:4', 'entity-bytes=-3:-9', 'entity-bytes=-0:*',
    'entity-bytes=1.5:*', 'entity-bytes=0x1:*', 'entity-bytes=9999999999999999:*',
    'entity-bytes=0:99999999999999999999',
    'car-version=2', 'car-version=', 'car-order=bfs', 'car-dups=yes'
  ])('refuses %s', query => {
    expect(() => params(query)).toThrow(expect.objectContaining({ name: 'GatewayError', status: 400 }))
  })

  it('refuses what Accept asks for and cannot be made', () => {
    expect(() => params('', { version: '2' })).toThrow(expect.objectContaining({ status: 406 }))
  })
})
