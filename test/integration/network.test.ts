/** @module-tag long */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, onTestFinished } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { networkProxy } from '../support/network-proxy.ts'
import { expectFailure, expectSuccess, finish, it, parseLines } from './run-cli.ts'
import { waitForBlocks } from './repo.ts'
import type { RunningDaemon } from '../support/network-daemons.ts'
import type { NetworkProxyInit, NetworkProxy } from '../support/network-proxy.ts'
import type { RunResult, Sandbox } from './run-cli.ts'
import type { AddressInfo } from 'node:net'

/** A CID that no peer has. */
const NOBODYS = 'bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu'

/** How many blocks --verbose reports as fetched, and from how many peers. */
function fetchedOf ({ stderr }: RunResult): { blocks: number, peers: number } {
  const [, blocks, peers] = /fetched (\d+) blocks \([^)]+\): (.*)$/m.exec(stderr) ?? []

  return { blocks: Number(blocks ?? 0), peers: peers?.split(', ').length ?? 0 }
}

/** Start a daemon that others reach only through a proxy. */
async function startBehindProxy (
  sandbox: Sandbox,
  repo: string,
  bootstrap: readonly string[],
  init?: NetworkProxyInit
): Promise<{ daemon: RunningDaemon, proxy: NetworkProxy, address: string }> {
  const port = await freePort()
  const proxy = await networkProxy(port, init)
  onTestFinished(async () => { await proxy.close() })
  const daemon = await startDaemon(sandbox, {
    repo,
    bootstrap,
    listen: [`/ip4/127.0.0.1/tcp/${port}`],
    args: ['--announce', `/ip4/127.0.0.1/tcp/${proxy.port}`]
  })

  return { daemon, proxy, address: `/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${daemon.peerId}` }
}

async function freePort (): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => { server.close(resolve) })

  return port
}

/** Wait until a CID has at least `count` providers. */
async function waitForProvider (sandbox: Sandbox, cid: string, bootstrap: string, count = 1): Promise<void> {
  for (;;) {
    const { stdout } = await sandbox.run(
      ['providers', '--json', cid, '--repo', join(sandbox.directory, 'looking')],
      { env: { IPFSZ_BOOTSTRAP: bootstrap } }
    )

    if (parseLines(stdout).length >= count) {
      return
    }
  }
}

async function addTo (sandbox: Sandbox, repo: string, bytes: Uint8Array, ...args: string[]): Promise<string> {
  const result = await sandbox.run(['add', '-Q', '--repo', repo, ...args, '-'], { stdin: bytes })
  expectSuccess(result)

  return result.stdout.toString().trim()
}

const MIB = 1024 * 1024

/** How many bytes of a file may be requested, and have not arrived. */
const IN_FLIGHT = 8 * 1024 * 1024

/**
 * How many bytes may arrive twice since a time because blocks that do not arrive for eight seconds are requested
 * again: none, unless the machine is very busy.
 */
function requestedAgain (start: number): number {
  return Math.floor((performance.now() - start) / 8000) * IN_FLIGHT
}

describe('two machines that know only one bootstrap peer', { tags: 'slow' }, () => {
  it('exchange a directory by its CID and transfer its compressed bytes', async ({ sandbox }) => {
    const [boot, a, b, tree] = ['boot', 'a', 'b', 'tree'].map(name => join(sandbox.directory, name))
    await mkdir(join(tree, 'sub'), { recursive: true })
    await writeFile(join(tree, 'a.txt'), longText(8_000_000))
    await writeFile(join(tree, 'sub', 'b.txt'), longText(3_000_000, 2))
    await writeFile(join(tree, 'sub', 'noise'), noise(1_000_000))
    await writeFile(join(tree, 'empty'), '')
    await symlink('sub/b.txt', join(tree, 'link'))

    const bootstrap = (await startDaemon(sandbox, { repo: boot })).address
    // either node may connect to the other
    const [to, from] = [
      await startBehindProxy(sandbox, a, [bootstrap]),
      await startBehindProxy(sandbox, b, [bootstrap])
    ]
    const onTheWire = (): number => to.proxy.received + from.proxy.sent

    const cid = (await sandbox.run(['add', '-Q', tree, '--repo', a])).stdout.toString().trim()
    const [{ storedSize }] = parseLines((await sandbox.run(['stat', cid, '--json', '--repo', a])).stdout)
    await waitForProvider(sandbox, cid, bootstrap)
    const before = onTheWire()

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', '--repo', b]))

    expectSuccess(await sandbox.shell(`diff -r --no-dereference ${tree} out`))
    const received = onTheWire() - before
    expect(received).toBeGreaterThan(Number(storedSize))
    expect(received / Number(storedSize)).toBeLessThan(1.05)

    // it works without a daemon too, and fetched blocks stay in the repo
    const again = await sandbox.run(
      ['get', cid, '-o', 'out-c', '--repo', join(sandbox.directory, 'c')],
      { env: { IPFSZ_BOOTSTRAP: bootstrap } }
    )
    expectSuccess(again)
    expectSuccess(await sandbox.shell(`diff -r --no-dereference ${tree} out-c`))
    expectSuccess(await sandbox.run(['get', cid, '-o', 'out-d', '--offline', '--repo', b]))
  })

  it('find the provider of a file by its marked and by its plain CID', async ({ sandbox }) => {
    const [boot, a, b] = ['boot', 'a', 'b'].map(name => join(sandbox.directory, name))
    const bootstrap = (await startDaemon(sandbox, { repo: boot })).address
    const daemon = await startDaemon(sandbox, { repo: a, bootstrap: [bootstrap] })
    const marked = await addTo(sandbox, a, text(100_000))
    const plain = (await sandbox.run(['cid', 'plain', marked])).stdout.toString().trim()
    await waitForProvider(sandbox, marked, bootstrap)

    for (const cid of [marked, plain]) {
      const { stdout } = await sandbox.run(['providers', '--json', cid, '--repo', b], {
        env: { IPFSZ_BOOTSTRAP: bootstrap }
      })
      expect(parseLines(stdout)).toMatchObject([{ peerId: daemon.peerId }])
    }
  })

  it('say that no peer advertises a CID', async ({ sandbox }) => {
    const bootstrap = (await startDaemon(sandbox, { repo: join(sandbox.directory, 'boot') })).address
    const cid = CID.createV1(raw.code, await sha256.digest(text(10))).toString()
    const result = await sandbox.run(['providers', cid], { env: { IPFSZ_BOOTSTRAP: bootstrap } })

    expect(result).toMatchObject({ code: 0, stderr: `ipfsz: no peer advertises ${cid}\n` })
    expect(result.stdout).toHaveLength(0)
  })

  it.for([
    ['roots', 0],
    ['all', 1]
  ] as const)('with --provide %s, find %i providers of a leaf pinned before the daemon started', async (
    [what, count],
    { sandbox }
  ) => {
    const [boot, a, b] = ['boot', 'a', 'b'].map(name => join(sandbox.directory, name))
    const bytes = noise(2_500_000)
    const cid = await addTo(sandbox, a, bytes)
    const leaf = CID.createV1(raw.code, await sha256.digest(bytes.subarray(0, 1024 * 1024)))
    const bootstrap = (await startDaemon(sandbox, { repo: boot })).address
    await startDaemon(sandbox, { repo: a, bootstrap: [bootstrap], args: ['--provide', what] })
    await waitForProvider(sandbox, cid, bootstrap)

    if (count > 0) {
      await waitForProvider(sandbox, leaf.toString(), bootstrap)
    }

    const { stdout } = await sandbox.run(['providers', '--json', leaf.toString(), '--repo', b], {
      env: { IPFSZ_BOOTSTRAP: bootstrap }
    })
    expect(parseLines(stdout)).toHaveLength(count)
  })
})

describe.concurrent('content that is not in the repo', () => {
  it('is fetched from the peer given with --peer, and only as far as needed', async ({ sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const bytes = longText(40_000_000)
    const cid = await addTo(sandbox, a, bytes, '--frame-size', '1MiB')
    const { address } = await startDaemon(sandbox, { repo: a })
    const peer = ['--peer', address, '--verbose']

    const part = await sandbox.run(['cat', cid, '--offset', '20000000', '--length', '1000', ...peer])
    expect(part.stdout.equals(bytes.subarray(20_000_000, 20_001_000))).toBe(true)
    expect(fetchedOf(part).blocks).toBeLessThan(5)

    const stat = await sandbox.run(['stat', cid, '--json', ...peer])
    expect(parseLines(stat.stdout)).toMatchObject([{ size: 40_000_000, codec: 'zstd' }])
    expect(fetchedOf(stat).blocks).toBe(0)

    const whole = await sandbox.run(['cat', cid, ...peer])
    const again = await sandbox.run(['cat', cid, ...peer])
    expect(whole.stdout.equals(bytes)).toBe(true)
    expect(fetchedOf(whole).blocks).toBeGreaterThan(5)
    expect(fetchedOf(again).blocks).toBe(0)
  })

  it('is listed and described by fetching only directories and roots', { tags: 'slow' }, async ({ sandbox }) => {
    const [a, tree] = ['a', 'tree'].map(name => join(sandbox.directory, name))
    await mkdir(tree)
    await writeFile(join(tree, 'a.txt'), longText(9_000_000))
    await writeFile(join(tree, 'b.bin'), noise(3_000_000))
    const cid = (await sandbox.run(['add', '-Q', tree, '--repo', a])).stdout.toString().trim()
    const [here] = parseLines((await sandbox.run(['stat', cid, '--json', '--repo', a])).stdout)
    const { address } = await startDaemon(sandbox, { repo: a })

    const ls = await sandbox.run(['ls', cid, '--json', '--peer', address, '--verbose'])
    const stat = await sandbox.run(['stat', cid, '--json', '--peer', address, '--verbose'])

    expect(parseLines(ls.stdout)).toMatchObject([
      { name: 'a.txt', size: 9_000_000, codec: 'zstd' },
      { name: 'b.bin', size: 3_000_000, codec: 'none' }
    ])
    expect(fetchedOf(ls).blocks).toBe(3)
    expect(parseLines(stat.stdout)).toEqual([here])
    expect(fetchedOf(stat).blocks).toBe(0)
  })

  it.for(['tcp/0', 'tcp/0/ws', 'udp/0/webrtc-direct'])('is fetched from a daemon that listens on %s', {
    tags: 'slow'
  }, async (protocols, { sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const bytes = noise(2_000_000)
    const cid = await addTo(sandbox, a, bytes)
    const { address } = await startDaemon(sandbox, { repo: a, listen: [`/ip4/127.0.0.1/${protocols}`] })
    const result = await sandbox.run(['cat', cid, '--peer', address])

    expectSuccess(result)
    expect(Buffer.from(bytes).equals(result.stdout)).toBe(true)
  })

  it('is fetched once for concurrent requests to the daemon', { tags: 'slow' }, async ({ sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const bytes = noise(12_000_000)
    const cid = await addTo(sandbox, a, bytes)
    const { proxy, address } = await startBehindProxy(sandbox, a, [])
    await startDaemon(sandbox)
    const start = performance.now()
    const results = await Promise.all(
      Array.from({ length: 6 }, async () => sandbox.run(['cat', cid, '--peer', address]))
    )
    const again = requestedAgain(start)

    for (const result of results) {
      expectSuccess(result)
      expect(Buffer.from(bytes).equals(result.stdout)).toBe(true)
    }

    expect(proxy.received).toBeLessThan(bytes.byteLength * 1.1 + again)
  })

  it('is not fetched with --offline', { tags: 'slow' }, async ({ sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const cid = await addTo(sandbox, a, text(10_000))
    const { address } = await startDaemon(sandbox, { repo: a })
    await startDaemon(sandbox)

    expectFailure(await sandbox.run(['cat', cid, '--offline']), 1)
    expectSuccess(await sandbox.run(['cat', cid, '--peer', address]))
  })

  it('is refused at once when the peers given with --peer lack it, which are told', {
    tags: 'slow'
  }, async ({ sandbox }) => {
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'a') })
    const peer = address.slice(address.lastIndexOf('/') + 1)

    for (const command of ['cat', 'get', 'stat', 'ls']) {
      // without the default timeout of a minute, and more than the test may take
      const result = await sandbox.run([command, NOBODYS, '--peer', address, '--timeout', '1h'])

      expect(result.code).toBe(1)
      expect(result.stderr.split('\n')).toEqual([
        `ipfsz: the peer ${peer} does not have ${NOBODYS}`,
        expect.stringContaining(`does not have the block ${NOBODYS}: specify one that has it with --peer`),
        ''
      ])
    }

    const { stderr } = await sandbox.run(['cat', NOBODYS, '--json', '--peer', address, '--timeout', '1h'])
    expect(JSON.parse(stderr.split('\n')[1])).toMatchObject({ name: 'FetchStalledError', cid: NOBODYS })
  })

  it('is refused at once when the peers given with --peer lack it, beside a daemon too', async ({ sandbox }) => {
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'a') })
    const other = await startDaemon(sandbox, { repo: join(sandbox.directory, 'b') })
    await startDaemon(sandbox, { bootstrap: [other.address] })

    // in parallel: a daemon looks for all of them at the same time
    const results = await Promise.all(['cat', 'get', 'stat', 'ls'].map(async command =>
      sandbox.run([command, NOBODYS, '--json', '--peer', address, '--timeout', '1h'])))

    for (const { code, stderr } of results) {
      expect(code).toBe(1)
      expect(stderr).toContain(`does not have ${NOBODYS}\n`)
      expect(JSON.parse(stderr.split('\n')[1])).toMatchObject({ name: 'FetchStalledError', cid: NOBODYS })
    }
  })

  it('is waited for by a daemon whose peers lack it, if none was given with --peer', {
    tags: 'slow'
  }, async ({ sandbox }) => {
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'a') })
    await startDaemon(sandbox, { bootstrap: [address] })
    const { code, stderr } = await sandbox.run(['cat', NOBODYS, '--timeout', '5s'])

    expect(code).toBe(1)
    expect(stderr).toContain('Nothing arrived for 5 s')
  })

  it('is refused when the peer given with --peer cannot be reached', async ({ sandbox }) => {
    const result = await sandbox.run([
      'cat',
      NOBODYS,
      '--peer',
      `/ip4/127.0.0.1/tcp/${await freePort()}/p2p/12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ`
    ])

    expectFailure(result, 1)
    expect(result.stderr).toContain('Cannot connect to')
  })

  it.for<[string, string[]]>([
    ['an invalid --timeout', ['--timeout', 'soon']],
    ['an invalid --peer', ['--peer', 'nobody']]
  ])('is refused with %s', async ([, args], { sandbox }) => {
    expectFailure(await sandbox.run(['cat', NOBODYS, ...args]), 2)
  })
})

describe('a fetch', { tags: 'slow' }, () => {
  it('continues when its connection is cut, and fetches only missing blocks', async ({ sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const bytes = noise(24_000_000)
    const cid = await addTo(sandbox, a, bytes)
    let cut = false
    const { proxy, address } = await startBehindProxy(sandbox, a, [], {
      onReceived (received) {
        if (!cut && received > 8_000_000) {
          cut = true
          proxy.cut()
        }
      }
    })

    const start = performance.now()
    const result = await sandbox.run(['cat', cid, '--peer', address, '--verbose'])
    const again = requestedAgain(start)

    expect(result.code, result.stderr).toBe(0)
    expect(result.stdout.equals(bytes)).toBe(true)
    expect(proxy.connections).toBeGreaterThan(1)
    // blocks in flight at the cut arrive twice
    expect(proxy.received).toBeLessThan(bytes.byteLength * 1.05 + IN_FLIGHT + again)
  })

  it('brings only the blocks that are not in the repo', async ({ sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const bytes = noise(8 * MIB)
    const cid = await addTo(sandbox, a, bytes)
    const { address, proxy } = await startBehindProxy(sandbox, a, [])
    // the same blocks are in other files, too
    await addTo(sandbox, sandbox.repo, bytes.subarray(0, 3 * MIB))
    await addTo(sandbox, sandbox.repo, bytes.subarray(4 * MIB))
    expectSuccess(await sandbox.run(['stat', cid, '--peer', address]))
    const before = proxy.received

    const result = await sandbox.run(['cat', cid, '--peer', address, '--verbose'])

    expect(result.stdout.equals(bytes)).toBe(true)
    expect(fetchedOf(result).blocks).toBe(1)
    expect(proxy.received - before).toBeLessThan(1.1 * MIB)
  })

  it('that was killed resumes where it stopped', async ({ sandbox }) => {
    const a = join(sandbox.directory, 'a')
    const bytes = noise(24_000_000)
    const cid = await addTo(sandbox, a, bytes)
    const { address } = await startDaemon(sandbox, { repo: a })

    const first = sandbox.start(['get', cid, '-o', 'out', '--peer', address])
    await waitForBlocks(sandbox.repo, 5)
    first.kill('SIGKILL')
    await finish(first)
    const second = await sandbox.run(['get', cid, '-o', 'out', '--peer', address, '--verbose'])

    expect(second.code, second.stderr).toBe(0)
    expect((await readFile(join(sandbox.directory, 'out'))).equals(bytes)).toBe(true)
    expect(fetchedOf(second).blocks).toBeLessThanOrEqual(20)
  })

  it('continues with another provider when one is killed', async ({ sandbox }) => {
    const [boot, a, b] = ['boot', 'a', 'b'].map(name => join(sandbox.directory, name))
    const bytes = noise(40_000_000)
    const bootstrap = (await startDaemon(sandbox, { repo: boot })).address
    let killed: Promise<void> | undefined
    const first = await startBehindProxy(sandbox, a, [bootstrap], {
      onReceived (received) {
        if (received > 10_000_000) {
          killed ??= first.daemon.kill()
        }
      }
    })
    await startDaemon(sandbox, { repo: b, bootstrap: [bootstrap] })
    const cid = await addTo(sandbox, a, bytes)
    await addTo(sandbox, b, bytes)
    await waitForProvider(sandbox, cid, bootstrap, 2)

    const result = await sandbox.run(['cat', cid, '--verbose'], { env: { IPFSZ_BOOTSTRAP: bootstrap } })

    expect(result.code, result.stderr).toBe(0)
    expect(result.stdout.equals(bytes)).toBe(true)
    expect(fetchedOf(result).peers).toBe(2)
    expect(killed).toBeDefined()
  })
})
