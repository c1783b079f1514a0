import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { peers } from '../src/commands/peers.ts'
import { Output } from '../src/terminal/output.ts'
import { startFakeDaemon } from '../../../test/support/fake-daemon.ts'
import { fakeNetwork } from '../../../test/support/fake-network.ts'
import type { Io } from '../src/io.ts'
import type { ConnectedPeer } from '@ipfsz/node/network'

const { signal } = new AbortController()
const PEER = '12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp'
const ADDRESS = `/ip4/203.0.113.7/udp/4001/quic-v1/p2p/${PEER}`

const PEERS: ConnectedPeer[] = [
  { peerId: PEER, address: '/ip4/10.0.0.2/tcp/4001', direction: 'inbound', agent: 'ipfsz/0.1.0', sameStore: true },
  { peerId: PEER, address: ADDRESS, direction: 'outbound', agent: 'kubo \u001b[2J/0.42.0' },
  { peerId: PEER, address: ADDRESS, direction: 'outbound' }
]

/** What `ipfsz peers` shows on a terminal of this width, line by line. */
async function shown (columns: number): Promise<string[]> {
  const repo = await mkdtemp(join(tmpdir(), 'ipfsz-peers-'))
  const daemon = await startFakeDaemon(repo, fakeNetwork({ peers: async () => PEERS }))
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns })

  onTestFinished(async () => {
    await daemon.stop()
    await rm(repo, { recursive: true })
  })
  const output = new Output(
    { stdout, stderr: new PassThrough(), now: () => 0, env: {} },
    { json: false, verbose: false }
  )
  await peers({ io: {} as Io, output, signal, repo })

  return (await text(stdout.end())).trimEnd().split('\n')
}

describe('ipfsz peers', () => {
  it.each([
    [80, ['  /ip4/10.0.0.2/tcp/4001  inbound  ipfsz/0.1.0  same store']],
    [40, ['  /ip4/10.0.0.2/tcp/4001  inbound', '  ipfsz/0.1.0  same store']]
  ])('fits a terminal of %i columns, except for ids and addresses, which begin a line', async (columns, first) => {
    expect(await shown(columns)).toEqual([
      PEER,
      ...first,
      PEER,
      ADDRESS,
      '  outbound  kubo \\x1b[2J/0.42.0',
      PEER,
      ADDRESS,
      '  outbound'
    ])
  })
})
