/** @module-tag long */
import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { noise, text } from '../support/data.ts'
import { startHttpRouter } from '../support/http-router.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, writeBlock } from '../support/stored-blocks.ts'
import { startGateway } from './run-gateway.ts'
import type { RunResult, Sandbox } from './run-cli.ts'
import type { AddressInfo } from 'node:net'

/** A peer that nothing listens for. */
const NOBODY = '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'

/** Run a command in a repo of its own, which is empty at first. */
async function runElsewhere (sandbox: Sandbox, args: readonly string[], env = {}): Promise<RunResult> {
  return sandbox.run(args, { env: { IPFSZ_PATH: join(sandbox.directory, 'elsewhere'), ...env } })
}

/** A server in front of a gateway that notes what is asked for. */
async function countingProxy (gateway: string): Promise<{ url: string, requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const { url = '/', headers } = request
    requests.push(url)
    get(new URL(url, gateway), { headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      response.once('close', () => { answer.destroy() })
    }).on('error', () => { response.destroy() })
  })

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => { server.close(); server.closeAllConnections() })

  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

describe('--gateway', () => {
  it('reads a compressed file from a gateway, stores it, and starts no node', async ({ sandbox }) => {
    const bytes = text(3_000_000)
    const cid = await sandbox.add(bytes)
    const { url } = await startGateway(sandbox)
    // a node would fail to connect
    const result = await runElsewhere(sandbox, ['cat', cid, '--gateway', url, '--peer', NOBODY])

    expectSuccess(result)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
    expect((await listBlocks(join(sandbox.directory, 'elsewhere'))).length)
      .toBe((await listBlocks(sandbox.repo)).length)

    const offline = await runElsewhere(sandbox, ['cat', cid, '--offline'])
    expect(Buffer.compare(offline.stdout, bytes)).toBe(0)
  })

  it('reads ranges, lists, and shows what a path leads to', async ({ sandbox }) => {
    const bytes = text(20_000_000)
    await mkdir(join(sandbox.directory, 'tree/sub'), { recursive: true })
    await sandbox.write('tree/sub/a b.txt', bytes)
    await sandbox.write('tree/noise', noise(1000))
    const cid = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
    const { url } = await startGateway(sandbox)
    const args = ['--gateway', url]

    const listed = await runElsewhere(sandbox, ['ls', `${cid}/sub`, '--json', ...args])
    expect(parseLines(listed.stdout)).toMatchObject([{ name: 'a b.txt', size: bytes.byteLength }])

    const shown = await runElsewhere(sandbox, ['stat', `${cid}/sub/a b.txt`, '--json', ...args])
    expect(parseLines(shown.stdout)).toMatchObject([{ size: bytes.byteLength, codec: 'zstd' }])
    const before = (await listBlocks(join(sandbox.directory, 'elsewhere'))).length

    const range = ['--offset', '10000000', '--length', '100']
    const read = await runElsewhere(sandbox, ['cat', `${cid}/sub/a b.txt`, ...range, ...args])
    expect(Buffer.compare(read.stdout, bytes.subarray(10_000_000, 10_000_100))).toBe(0)
    // the frame that holds them, and not the whole file
    const after = (await listBlocks(join(sandbox.directory, 'elsewhere'))).length
    expect(after).toBeGreaterThan(before)
    expect(after).toBeLessThan((await listBlocks(sandbox.repo)).length)
  })

  it('writes a tree from the gateways of IPFSZ_GATEWAYS, whichever of them work', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree/sub'), { recursive: true })
    await Promise.all(Array.from({ length: 20 }, async (_, i) => sandbox.write(`tree/sub/${i}`, text(i * 1000, i))))
    await sandbox.write('tree/large', noise(5_000_000))
    const cid = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
    const { url } = await startGateway(sandbox)

    expectSuccess(
      await runElsewhere(sandbox, ['get', cid, '-o', 'got'], { IPFSZ_GATEWAYS: `http://127.0.0.1:1, ${url}` })
    )
    expect(Buffer.compare(await readFile(join(sandbox.directory, 'got/large')), noise(5_000_000))).toBe(0)
    expect(await readdir(join(sandbox.directory, 'got/sub'))).toHaveLength(20)
  })

  it('does not wait for a gateway that keeps silent, and says which one sent the file', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes)
    const { url, requests } = await countingProxy((await startGateway(sandbox)).url)
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => { silent.close(); silent.closeAllConnections() })
    const first = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const result = await runElsewhere(sandbox, ['cat', cid, '--gateway', first, '--gateway', url, '--verbose'])

    expect(result.code).toBe(0)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
    expect(result.stderr).toMatch(new RegExp(`^ipfsz: fetched \\d+ blocks \\(.*\\): \\d+ \\(.*\\) from ${url}/$`, 'm'))
    expect(requests).toHaveLength(1)
  })

  it('fetches a tree with one request, and only what has changed of the next one', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree/sub'), { recursive: true })
    await Promise.all(Array.from({ length: 20 }, async (_, i) => sandbox.write(`tree/sub/${i}`, text(i * 1000, i))))
    const first = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
    await sandbox.write('tree/sub/7', text(500, 99))
    const next = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
    const { url, requests } = await countingProxy((await startGateway(sandbox)).url)

    expectSuccess(await runElsewhere(sandbox, ['get', first, '-o', 'first', '--gateway', url]))
    expect(requests).toEqual([expect.stringContaining('dag-scope=all')])

    const { code, stderr } = await runElsewhere(sandbox, ['get', next, '-o', 'next', '--gateway', url, '--verbose'])
    expect(code).toBe(0)
    // two directories and a file of one block
    expect(stderr).toContain('fetched 3 blocks')
    expect(Buffer.compare(await readFile(join(sandbox.directory, 'next/sub/7')), text(500, 99))).toBe(0)
    expect(Buffer.compare(await readFile(join(sandbox.directory, 'next/sub/19')), text(19_000, 19))).toBe(0)
  })

  it('asks peers for what the gateways lack', { tags: 'slow' }, async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes, '--codec', 'none')
    const empty = join(sandbox.directory, 'empty')
    expectSuccess(await sandbox.run(['init'], { env: { IPFSZ_PATH: empty } }))
    const { url } = await startGateway({
      ...sandbox,
      run: async (args, options) => sandbox.run([...args, '--repo', empty], options)
    })
    const { address } = await startDaemon(sandbox)
    const result = await runElsewhere(sandbox, ['cat', cid, '--gateway', url, '--peer', address])

    expectSuccess(result)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
  })

  it('repairs a damaged block from a gateway', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes, '--codec', 'none')
    const { url } = await startGateway(sandbox)
    expectSuccess(await runElsewhere(sandbox, ['cat', cid, '--gateway', url]))
    const [file] = await listBlocks(join(sandbox.directory, 'elsewhere'))
    await writeBlock(join(sandbox.directory, 'elsewhere'), file, noise(100))

    const repaired = await runElsewhere(sandbox, ['repair', cid, '--gateway', url])
    expect(repaired.code, repaired.stderr).toBe(0)
    const offline = await runElsewhere(sandbox, ['cat', cid, '--offline'])
    expect(Buffer.compare(offline.stdout, bytes)).toBe(0)
  })

  it('refuses what no gateway sends, and says what each of them did', async ({ sandbox }) => {
    const cid = await sandbox.add(new Uint8Array(10))
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    })
    await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
    onTestFinished(() => { server.close() })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const result = await runElsewhere(sandbox, ['cat', cid, '--gateway', url])

    expectFailure(result, 1)
    expect(result.stderr).toContain(url)
    expect(result.stderr).toContain('text/html')
  })

  it.for([
    ['--gateway', 'ftp://127.0.0.1'],
    ['--gateway', 'gateway'],
    ['--gateway', 'http://user:secret@127.0.0.1'],
    ['--gateway', 'http://127.0.0.1', '--offline']
  ])('refuses %s', async (args, { sandbox }) => {
    const cid = await sandbox.add(new Uint8Array(10))
    const result = await runElsewhere(sandbox, ['cat', cid, ...args])

    expectFailure(result, 2)
    expect(result.stderr).not.toContain('secret')
  })
})

/** A router that lists a gateway on loopback. */
async function startRouter (url: string): Promise<string> {
  const { url: router, close } = await startHttpRouter(`/ip4/127.0.0.1/tcp/${new URL(url).port}/http`)
  onTestFinished(close)

  return router
}

describe('--router', () => {
  it('reads from the gateway that a router lists, and starts no node', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes)
    const { url } = await startGateway(sandbox)
    const args = ['cat', cid, '--allow-local', '--verbose', '--peer', NOBODY]
    const result = await runElsewhere(sandbox, args, { IPFSZ_ROUTERS: `http://127.0.0.1:1 ${await startRouter(url)}` })

    expect(result.code, result.stderr).toBe(0)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)
    expect(result.stderr).toMatch(/^ipfsz: fetched 4 blocks \(.*\): 4 \(.*\) from http:\/\/127\.0\.0\.1:\d+\/\n$/)
  })

  it('asks no gateway in a private network without --allow-local, and peers instead', async ({ sandbox }) => {
    const bytes = noise(3_000_000)
    const cid = await sandbox.add(bytes, '--codec', 'none')
    const router = await startRouter((await startGateway(sandbox)).url)
    const refused = await runElsewhere(sandbox, ['cat', cid, '--router', router])
    const { address } = await startDaemon(sandbox)
    const read = await runElsewhere(sandbox, ['cat', cid, '--router', router, '--peer', address, '--verbose'])

    expectFailure(refused, 1)
    expect(refused.stderr).toContain('127.0.0.1, which is not public: use --allow-local')
    expect(Buffer.compare(read.stdout, bytes)).toBe(0)
    expect(read.stderr).toMatch(/fetched 4 blocks \(.*\): 4 \(.*\) from 12D3\w+\n$/)
  })

  it('refuses a router that is no URL, and --offline', async ({ sandbox }) => {
    const cid = await sandbox.add(new Uint8Array(10))

    expectFailure(await runElsewhere(sandbox, ['cat', cid, '--router', 'router.example']), 2)
    expectFailure(await runElsewhere(sandbox, ['cat', cid, '--router', 'http://127.0.0.1', '--offline']), 2)
    expectFailure(await runElsewhere(sandbox, ['cat', cid, '--allow-local', '--offline']), 2)
  })
})
