/** @module-tag nightly */
/** Nodes whose network to their store, an S3 server, is lost: nothing is answered, and nothing refused. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { S3Objects } from '@ipfsz/blockstore-s3'
import { describe, expect, onTestFinished } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectSuccess, finish, it } from '../integration/run-cli.ts'
import { network } from './ceph/tcp-proxy.ts'
import { storeAt } from './s3/server.ts'
import { useS3 } from './s3/use-server.ts'
import type { Process, RunResult, Sandbox } from '../integration/run-cli.ts'
import type { Network } from './ceph/tcp-proxy.ts'

const MIB = 1024 * 1024
/** Commands with this preload wait half a second where others wait for half a minute. */
const FAST = { preload: 'fast-time.ts', env: { TIME_FACTOR: '60' } }

const endpoint = useS3()

interface Site {
  net: Network
  /** Run a command of a node whose network can be lost (`far`), or of another one (`near`). */
  run (node: 'far' | 'near', ...args: string[]): Promise<RunResult>
  ok (node: 'far' | 'near', ...args: string[]): Promise<string>
}

async function makeSite (sandbox: Sandbox): Promise<Site> {
  const bucket = `ipfsz-${randomUUID()}`
  await new S3Objects(storeAt(endpoint(), bucket)).createBucket()
  const net = await network(endpoint())
  onTestFinished(net.close)
  const run: Site['run'] = async (node, ...args) => sandbox.run([...args, '--repo', node])
  const ok: Site['ok'] = async (...args) => {
    const result = await run(...args)
    expectSuccess(result)

    return result.stdout.toString().trim()
  }

  for (const [node, url] of [['far', net.url], ['near', endpoint()]] as const) {
    await ok(node, 'init', '--store', `s3://${bucket}/site?endpoint=${url}`)
  }

  return { net, run, ok }
}

describe('a node whose network to the store is lost', () => {
  it('goes on with its add when the network is back soon', async ({ sandbox }) => {
    const { net, ok, run } = await makeSite(sandbox)
    const bytes = noise(12 * MIB)
    const path = await sandbox.write('large', bytes)
    const half = Promise.withResolvers<void>()
    const adding = finish(
      sandbox.start(['add', '-Q', '--repo', 'far', '-'], { ...FAST, env: { ...FAST.env, ...keys() } }),
      (async function * () {
        yield bytes.subarray(0, 8 * MIB)
        half.resolve()
        yield bytes.subarray(8 * MIB)
      })()
    )
    await half.promise
    net.lose()
    const before = net.connections
    // it has begun to try again
    await expect.poll(() => net.connections).toBeGreaterThan(before)
    net.restore()

    const result = await adding
    expectSuccess(result)
    expect((await run('near', 'cat', result.stdout.toString().trim())).stdout.equals(bytes)).toBe(true)
    expect(await ok('near', 'verify', '--all')).toContain('good')
    expect(await ok('near', 'add', '-Q', path)).toBe(result.stdout.toString().trim())
  })

  it('ends what it was asked for by name, and goes on where it was', async ({ sandbox }) => {
    const { net, ok, run } = await makeSite(sandbox)
    const kept = await ok('far', 'add', '-Q', await sandbox.write('kept', text(300_000)))
    const path = await sandbox.write('other', text(300_000, 2))
    await ok('far', 'pin', 'rm', await ok('near', 'add', '-Q', await sandbox.write('gone', text(50_000, 3))))
    net.lose()
    const commands = [
      ['add', '-Q', path], ['cat', kept], ['gc'], ['pin', 'ls'], ['pin', 'rm', kept], ['verify', '--all']
    ]
    const failed = await Promise.all(commands.map(async args =>
      sandbox.spawn([...args, '--repo', 'far'], { ...FAST, env: { ...FAST.env, ...keys() } })))

    for (const [i, { code, stdout, stderr }] of failed.entries()) {
      expect({ code, stdout: stdout.toString() }, commands[i].join(' ')).toEqual({ code: 1, stdout: '' })
      expect(stderr, commands[i].join(' '))
        .toMatch(/^ipfsz: .*no (?:response from http:\/\/127\.0\.0\.1:|answer over the network within 4 s)/m)
    }

    // the other node is not concerned
    expect((await run('near', 'cat', kept)).stdout.equals(text(300_000))).toBe(true)
    net.restore()
    const added = await ok('far', 'add', '-Q', path)
    expect(JSON.parse(await ok('far', 'gc', '--json'))).toMatchObject({ removed: 1, pins: 2 })
    expect(await ok('near', 'verify', '--all')).not.toMatch(/damaged|incomplete/)

    for (const cid of [kept, added]) {
      expect((await run('near', 'cat', cid)).code).toBe(0)
    }
  })

  it('reads and serves what it has kept, says soon that the rest is away, and goes on when it is back', async (
    { sandbox }
  ) => {
    const { net, ok } = await makeSite(sandbox)
    const addNear = async (seed: number): Promise<string> =>
      ok('near', 'add', '-Q', '--codec', 'none', await sandbox.write(`${seed}`, text(300_000, seed)))
    const read = await addNear(1)
    const daemon = sandbox.start([
      'daemon', '--repo', 'far', '--listen', '/ip4/127.0.0.1/tcp/0', '--gateway', '127.0.0.1:0', '--json',
      '--gateway-metrics', '127.0.0.1:0'
    ], { preload: 'fast-time.ts', env: { TIME_FACTOR: '6', ...keys() } })
    const { url, metrics } = await gatewayUrl(daemon)
    const get = async (cid: string): Promise<Response> => fetch(`${url}/ipfs/${cid}`)
    const health = async (): Promise<number> => (await fetch(metrics.replace('/metrics', '/healthz'))).status
    expect((await get(read)).status).toBe(200)

    const unread = await addNear(2)
    expect(await health()).toBe(200)
    net.lose()
    const refused = await get(unread)
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()])
      .toEqual([503, '30', 'The store of the gateway does not respond\n'])
    expect(await (await get(read)).text()).toBe(Buffer.from(text(300_000)).toString())
    expect(await health()).toBe(503)
    // in a process of its own, with and without the daemon
    const cat = async (): Promise<RunResult> =>
      sandbox.spawn(['cat', read, '--repo', 'far'], { ...FAST, env: { ...FAST.env, ...keys() } })
    expect((await cat()).stdout.equals(text(300_000))).toBe(true)
    net.restore()
    await expect.poll(async () => (await get(unread)).status).toBe(200)
    expect(await health()).toBe(200)

    net.lose()
    await end(daemon)
    expect((await cat()).stdout.equals(text(300_000))).toBe(true)
  })
})

async function end (daemon: Process): Promise<void> {
  const closed = once(daemon, 'close')
  daemon.kill('SIGTERM')
  await closed
}

/** Where a daemon that has just been started serves, once it does. */
async function gatewayUrl (daemon: Process): Promise<{ url: string, metrics: string }> {
  for await (const line of createInterface(daemon.stdout)) {
    const { event, url, metricsUrl: metrics } = JSON.parse(line) as Record<string, string | undefined>

    if (event === 'gateway' && url != null && metrics != null) {
      // nobody reads what else it prints
      daemon.stdout.resume()

      return { url, metrics }
    }
  }

  throw new Error('The daemon ended before it served')
}

/** The keys that the test has, for processes of their own. */
function keys (): Record<string, string | undefined> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env

  return { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
}
