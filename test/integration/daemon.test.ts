import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { noise, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

async function control (sandbox: Sandbox): Promise<{ port: number, token: string, pid: number }> {
  return JSON.parse(
    await readFile(join(sandbox.repo, 'daemon.json'), 'utf8')
  ) as { port: number, token: string, pid: number }
}

describe.concurrent('ipfsz daemon', () => {
  it('shows its peer id and addresses in ipfsz id, and stops cleanly on SIGTERM', async ({ sandbox }) => {
    const daemon = await startDaemon(sandbox, { listen: ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws'] })
    const id = await sandbox.run(['id', '--json'])

    expectSuccess(id)
    expect(parseLines(id.stdout)).toEqual([{
      peerId: daemon.peerId,
      addresses: [expect.stringMatching(/\/tcp\/\d+\/p2p\/12D3/), expect.stringMatching(/\/tcp\/\d+\/ws\/p2p\/12D3/)],
      agent: expect.stringMatching(/^ipfsz\/\d/),
      running: true
    }])
    expect(await daemon.stop()).toEqual({ code: 0, stderr: '' })
    await expect(stat(join(sandbox.repo, 'daemon.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('stops cleanly on SIGINT', { tags: 'slow' }, async ({ sandbox }) => {
    const daemon = await startDaemon(sandbox)

    expect(await daemon.stop('SIGINT')).toEqual({ code: 0, stderr: '' })
  })

  it('keeps its peer id when it is restarted, and ipfsz id shows it in between', { tags: 'slow' }, async ({
    sandbox
  }) => {
    const first = await startDaemon(sandbox)
    await first.stop()
    const between = await sandbox.run(['id', '--json'])
    const second = await startDaemon(sandbox)

    expect(second.peerId).toBe(first.peerId)
    expect(parseLines(between.stdout)).toEqual([{ peerId: first.peerId, addresses: [], running: false }])
  })

  it('lets only the owner of the repo read its key and its token', { tags: 'slow' }, async ({ sandbox }) => {
    await startDaemon(sandbox)

    for (const file of ['daemon.json', join('keys', 'self')]) {
      expect((await stat(join(sandbox.repo, file))).mode & 0o777, file).toBe(0o600)
    }
  })

  it('refuses to start twice on one repo, and names the running process', async ({ sandbox }) => {
    const daemon = await startDaemon(sandbox)

    const second = await sandbox.run(['daemon', '--listen', '/ip4/127.0.0.1/tcp/0'])

    expectFailure(second, 1)
    expect(second.stderr).toContain(`process ${daemon.pid}`)
    expectSuccess(await sandbox.run(['id']))
  })

  it('starts again after SIGKILL, and added files are readable', { tags: 'slow' }, async ({ sandbox }) => {
    const first = await startDaemon(sandbox)
    const cid = await sandbox.add(text(50_000))
    await first.kill()

    // daemon.json is left behind, but no command takes it for a running daemon
    expect(await control(sandbox)).toMatchObject({ pid: first.pid })
    expect(await sandbox.run(['peers'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No daemon is running')
    })
    expect((await sandbox.run(['cat', cid])).stdout.equals(text(50_000))).toBe(true)

    const second = await startDaemon(sandbox)
    expect(second.peerId).toBe(first.peerId)
    expect((await sandbox.run(['peers'])).stderr).toBe('ipfsz: the daemon is not connected to any peer\n')
    expect((await sandbox.run(['cat', cid])).stdout.equals(text(50_000))).toBe(true)
  })

  it.for<[string, string[], number]>([
    ['an invalid address', ['--listen', 'nowhere'], 2],
    ['an invalid bootstrap peer', ['--listen', '/ip4/127.0.0.1/tcp/0', '--bootstrap', 'nobody'], 2],
    ['an address of another machine', ['--listen', '/ip4/192.0.2.1/tcp/0'], 1]
  ])('refuses %s and leaves nothing behind', async ([, args, code], { sandbox }) => {
    expectFailure(await sandbox.run(['daemon', ...args]), code)

    const daemon = await startDaemon(sandbox)
    expect(await daemon.stop()).toMatchObject({ code: 0 })
  })

  it('says why it cannot open its data', async ({ sandbox }) => {
    await sandbox.run(['init'])
    const place = await sandbox.write(join('repo', 'network'), text(1))

    const result = await sandbox.run(['daemon', '--listen', '/ip4/127.0.0.1/tcp/0'])
    expectFailure(result, 1)
    // and then the reason, as LevelDB says it
    expect(result.stderr).toMatch(new RegExp(`${place}: .`))
  })

  it('refuses a port that is in use', { tags: 'slow' }, async ({ sandbox }) => {
    const { address } = await startDaemon(sandbox)
    const taken = address.split('/p2p/')[0]

    const args = ['daemon', '--repo', join(sandbox.directory, 'other'), '--listen', taken]
    const [result, json] = [await sandbox.run(args), await sandbox.run([...args, '--json'])]

    expectFailure(result, 1)
    expect(result.stderr).toContain(taken)
    expect(parseLines(Buffer.from(json.stderr))).toMatchObject([{ name: 'ListenError', code: 'EADDRINUSE' }])
  })
})

describe.concurrent('the control port', { tags: 'slow' }, () => {
  it('refuses requests without the token and requests from web pages', async ({ sandbox }) => {
    await startDaemon(sandbox)
    const { port, token } = await control(sandbox)
    const ask = async (headers: Record<string, string>): Promise<number> => (
      await fetch(`http://127.0.0.1:${port}/v0/id`, { method: 'POST', headers, body: '{}' })
    ).status

    expect(await ask({})).toBe(401)
    expect(await ask({ authorization: `Bearer ${'0'.repeat(64)}` })).toBe(401)
    expect(await ask({ authorization: `Bearer ${token}`, origin: 'https://example.com' })).toBe(403)
  })

  it('listens only on 127.0.0.1', async ({ sandbox }) => {
    await startDaemon(sandbox)
    const { port } = await control(sandbox)
    const hexPort = port.toString(16).toUpperCase().padStart(4, '0')

    // in the byte order of the machine, see proc_net_tcp(5)
    const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').filter(
      line => line.includes(`:${hexPort} 00000000:0000 0A`)
    )
    expect(sockets.map(line => line.trim().split(/\s+/)[1])).toEqual([`0100007F:${hexPort}`])
    expect(await readFile('/proc/net/tcp6', 'utf8'))
      .not.toContain(`:${hexPort} 00000000000000000000000000000000:0000 0A`)
  })
})

describe.concurrent('while a daemon runs', () => {
  it('ipfsz add, gc, cat and verify work as without one', async ({ sandbox }) => {
    await startDaemon(sandbox)
    const kept = await sandbox.add(text(100_000))
    const lost = await sandbox.add(noise(100_000), '--no-pin')

    expectSuccess(await sandbox.run(['gc']))
    expect((await sandbox.run(['cat', kept])).stdout.equals(text(100_000))).toBe(true)
    expect((await sandbox.run(['cat', lost, '--offline'])).code).toBe(1)
    expectSuccess(await sandbox.run(['verify', kept]))
  })

  it('ipfsz connect and ipfsz peers show the connected peers', async ({ sandbox }) => {
    const repo = join(sandbox.directory, 'other')
    const [daemon, other] = await Promise.all([startDaemon(sandbox), startDaemon(sandbox, { repo })])

    const connected = await sandbox.run(['connect', '--json', other.address])
    // the agent of a peer is known some time after it has connected
    const peers = await vi.waitUntil(async () => {
      const result = await sandbox.run(['peers', '--json'])

      return result.stdout.includes('agent') && result
    }, { timeout: 120_000 })
    const back = await sandbox.run(['peers', '--json', '--repo', repo])

    expectSuccess(connected)
    expect(parseLines(connected.stdout)).toEqual([{ peerId: other.peerId, address: other.address }])
    expect(parseLines(peers.stdout)).toEqual([{
      peerId: other.peerId,
      address: other.address,
      direction: 'outbound',
      agent: expect.stringMatching(/^ipfsz\//)
    }])
    expect(parseLines(back.stdout)).toMatchObject([{ peerId: daemon.peerId, direction: 'inbound' }])
  })

  it.for<[string, string[], number]>([
    [
      'a peer that cannot be reached',
      ['connect', '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'],
      1
    ],
    ['an invalid address', ['connect', 'nobody'], 2]
  ])('ipfsz connect refuses %s', async ([, args, code], { sandbox }) => {
    await startDaemon(sandbox)

    expectFailure(await sandbox.run(args), code)
  })
})

describe.concurrent('without a daemon', () => {
  it.for([['peers'], ['connect', '/ip4/127.0.0.1/tcp/1'], ['id']])('ipfsz %s is refused', async (args, { sandbox }) => {
    expectFailure(await sandbox.run(args), 1)
  })
})
