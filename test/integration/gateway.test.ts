import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { decode } from '@ipld/dag-pb'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { describe, expect, onTestFinished } from 'vitest'
import { noise, same, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectFailure, expectSuccess, finish, it, parseLines } from './run-cli.ts'
import { blockFiles, listBlocks } from '../support/stored-blocks.ts'
import { start, startGateway } from './run-gateway.ts'
import type { Sandbox } from './run-cli.ts'
import type { IncomingHttpHeaders } from 'node:http'

/** A CID that no peer has. */
const NOBODYS = 'bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu'

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Ask without a client that decompresses. */
async function ask (
  url: string,
  headers: Record<string, string> = {},
  { method = 'GET', path }: { method?: string, path?: string } = {}
): Promise<Answer> {
  const { hostname, port, pathname, search } = new URL(url)
  const asked = request({ hostname, port, path: path ?? pathname + search, method, headers, agent: false }).end()
  const [response] = await once(asked, 'response')

  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

async function urlOfAdded (sandbox: Sandbox, name: string, bytes: Uint8Array, ...args: string[]): Promise<string> {
  const path = await sandbox.write(name, bytes)
  const added = await sandbox.run(['add', '--json', path, ...args])
  expectSuccess(added)

  return String(parseLines(added.stdout).at(-1)?.url)
}

describe('ipfsz gateway', () => {
  it('serves what was added: decompressed by the client, as stored, by range, and its head', async ({ sandbox }) => {
    const bytes = text(200_000)
    await sandbox.add(new Uint8Array(1))
    const { metricsUrl } = await startGateway(sandbox, '--metrics', '127.0.0.1:0')
    const url = await urlOfAdded(sandbox, 'a b.txt', bytes)
    expect(url).toMatch(/\/ipfs\/bagc[a-z2-7]+\?filename=a%20b\.txt$/)

    // Node's fetch decompresses gzip, deflate and brotli, and zstd if it is asked to
    const fetched = await fetch(url, { headers: { 'accept-encoding': 'zstd' } })
    expect(fetched.headers.get('content-encoding')).toBe('zstd')
    expect(fetched.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true)

    const stored = await ask(url, { 'accept-encoding': 'zstd' })
    expect(stored.body.byteLength).toBeLessThan(bytes.byteLength / 2)
    expect(Number(stored.headers['content-length'])).toBe(stored.body.byteLength)
    expect(zstdDecompressSync(stored.body).equals(bytes)).toBe(true)
    // nothing was decompressed until now
    expect(await (await fetch(metricsUrl)).text()).toContain('ipfsz_gateway_decompressed_bytes_total 0\n')

    const plain = await ask(url)
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.body.equals(bytes)).toBe(true)

    const range = await ask(url, { range: 'bytes=1000-1999', 'accept-encoding': 'zstd' })
    expect(range).toMatchObject({ status: 206, headers: { 'content-range': `bytes 1000-1999/${bytes.byteLength}` } })
    expect(range.body.equals(bytes.subarray(1000, 2000))).toBe(true)

    const head = await ask(url, {}, { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': `${bytes.byteLength}` } })
    expect(head.body).toHaveLength(0)

    const unchanged = await ask(url, { 'if-none-match': String(plain.headers.etag) })
    expect(unchanged.status).toBe(304)

    const counted = await (await fetch(metricsUrl)).text()
    expect(counted).toContain('ipfsz_gateway_requests_total{kind="stored",status="200"} 2\n')
    expect(counted).toContain('ipfsz_gateway_requests_total{kind="range",status="206"} 1\n')
    expect(counted).toContain('ipfsz_gateway_requests_total{kind="unchanged",status="304"} 1\n')
    expect(counted).toContain(
      `ipfsz_gateway_response_bytes_total{kind="stored",status="200"} ${2 * stored.body.byteLength}\n`
    )
  })

  it('serves blocks as a compressed repo stores them, under their own CIDs', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--blockstore-codec', 'gzip']))
    const cid = await sandbox.add(text(100_000), '--codec', 'none')
    const { url } = await startGateway(sandbox)

    const stored = await ask(`${url}/ipfs/${cid}?format=raw`, { 'accept-encoding': 'gzip' })
    const plain = await ask(`${url}/ipfs/${cid}?format=raw`)
    const fetched = await fetch(`${url}/ipfs/${cid}?format=raw`)

    expect(stored.headers['content-encoding']).toBe('gzip')
    expect(stored.body.byteLength).toBeLessThan(50_000)
    expect(plain.body.equals(text(100_000))).toBe(true)
    expect(Buffer.from(await fetched.arrayBuffer()).equals(text(100_000))).toBe(true)
  })

  it('serves the blocks of a file in a plain repo', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000), '--codec', 'none')
    const { url } = await startGateway(sandbox)

    const { status, headers, body } = await ask(`${url}/ipfs/${cid}`, { accept: 'application/vnd.ipld.raw' })

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/vnd.ipld.raw' })
    expect(body.equals(text(10_000))).toBe(true)
  })

  it('lists directories, serves index.html, and gives every CID an origin on localhost', async ({ sandbox }) => {
    const tree = join(sandbox.directory, 'tree')
    await mkdir(join(tree, 'site'), { recursive: true })
    await writeFile(join(tree, 'a.txt'), text(5000))
    await writeFile(join(tree, 'site', 'index.html'), '<h1>Hello</h1>')
    const cid = (await sandbox.run(['add', '-Q', tree])).stdout.toString().trim()
    const { url, subdomainUrl } = await startGateway(sandbox)
    const { host } = new URL(subdomainUrl)

    const listing = await ask(`${url}/ipfs/${cid}/`)
    expect(listing).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/html') } })
    expect(listing.body.toString()).toContain('a.txt')
    expect((await ask(`${url}/ipfs/${cid}`)).status).toBe(301)
    expect((await ask(`${url}/ipfs/${cid}/site/`)).body.toString()).toBe('<h1>Hello</h1>')

    const redirect = await ask(`${url}/ipfs/${cid}/site/`, { host })
    const label = CID.parse(cid).toString(base36)
    expect(redirect).toMatchObject({
      status: 301,
      headers: { location: `http://${label}.ipfs.${host}/site/` }
    })
    expect((await ask(`${url}/site/`, { host: `${label}.ipfs.${host}` })).body.toString()).toBe('<h1>Hello</h1>')
    expect((await ask(`${url}/a.txt`, { host: `${label}.ipfs.${host}` })).body.equals(text(5000))).toBe(true)
  })

  it('answers 404 for what the repo lacks, and asks no other node', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const { url } = await startGateway(sandbox)
    let connections = 0
    const count = (): void => { connections++ }
    subscribe('net.client.socket', count)
    onTestFinished(() => { unsubscribe('net.client.socket', count) })

    expect((await ask(`${url}/ipfs/${NOBODYS}`)).status).toBe(404)
    expect((await ask(`${url}/ipns/k51qzi5uqu5dgutdk6i1ynyzgkqngpha5xpgia3a5qqp4jsh0u4csozksxel2r`)).status).toBe(404)
    expect((await ask(`${url}/ipns/example.com`)).status).toBe(404)
    expect((await ask(`${url}/ipfs/hello`)).status).toBe(400)
    expect((await ask(`${url}/ipfs/${NOBODYS}`, {}, { method: 'POST' })).status).toBe(405)

    // those of this test
    expect(connections).toBe(5)
  })

  it('reads what is added, collected and linked while it runs', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const { url } = await startGateway(sandbox)

    const cid = await sandbox.run(['add', '-Q', '--link', '--no-pin', '-'], { stdin: text(300_000) })
    const marked = cid.stdout.toString().trim()
    const [{ original }] = parseLines((await sandbox.run(['link', 'ls', '--json'])).stdout)

    expect((await ask(`${url}/ipfs/${marked}`)).body.equals(text(300_000))).toBe(true)
    expect((await ask(`${url}/ipfs/${String(original)}`)).body.equals(text(300_000))).toBe(true)

    expectSuccess(await sandbox.run(['gc']))
    expect((await ask(`${url}/ipfs/${marked}?filename=x`)).status).toBe(404)
  })

  it('stops at once when it is idle, and leaves nothing behind', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const { url, stop } = await startGateway(sandbox)
    // an idle connection
    await (await fetch(`${url}/ipfs/bafkqaaa`)).text()

    expect(await stop()).toMatchObject({ code: 0, stderr: '' })
    await expect(fetch(`${url}/ipfs/bafkqaaa`)).rejects.toThrow('fetch failed')
    expect(await readdir(sandbox.repo)).not.toContain('gateway.json')
    expect(await readdir(join(sandbox.repo, 'locks'))).toEqual([])
  })

  it.for<[string, string[], string]>([
    ['an address that other machines reach', ['--listen', '0.0.0.0:0'], '--public'],
    ['an IPv6 address that other machines reach', ['--listen', '[::]:0'], '--public'],
    ['metrics that other machines reach', ['--metrics', '0.0.0.0:0'], '--public'],
    ['what is not an address', ['--listen', '8080'], 'host and a port'],
    ['peers without --fetch', ['--peer', '/ip4/127.0.0.1/tcp/1'], '--fetch'],
    ['gateways without --fetch', ['--gateway', 'http://127.0.0.1:1'], '--fetch'],
    ['to fetch if there is nobody to ask', ['--fetch'], '--peer'],
    ['a gateway that is not a URL', ['--fetch', '--gateway', 'example'], 'URL'],
    ['a limit of 0', ['--max-requests', '0'], 'limit'],
    ['a proxy that is not an address or a range', ['--trust-proxy', 'loopback,10.0.0.0/40'], 'range'],
    ['a host that is a URL', ['--host', 'https://gateway.example.com'], 'host name'],
    ['to bound compression that there is not', ['--compress-cpu', '50'], '--compress']
  ])('refuses %s', async ([, args, reason], { sandbox }) => {
    await sandbox.add(text(1000))

    const result = await sandbox.run(['gateway', '--listen', '127.0.0.1:0', ...args])

    expectFailure(result, 2)
    expect(result.stderr).toContain(reason)
  })

  it('compresses what is stored plain, and files for who takes only gzip, if it is told to', async ({ sandbox }) => {
    const bytes = text(1_500_000)
    const [plain, marked] = [
      await sandbox.add(bytes, '--codec', 'none'),
      await sandbox.add(bytes, '--codec', 'zstd')
    ]

    for (const [args, block, file] of [
      [[], undefined, undefined],
      [['--compress', '--compress-cpu', '100000', '--compress-cache', '1MiB'], 'gzip', undefined],
      [['--compress', 'all', '--compress-cpu', '100000'], 'gzip', 'gzip']
    ] as const) {
      const { url, stop } = await startGateway(sandbox, ...args)
      const { Links: [leaf] } = decode((await ask(`${url}/ipfs/${plain}?format=raw`)).body)
      const ofBlock = await ask(`${url}/ipfs/${leaf.Hash}?format=raw`, { 'accept-encoding': 'gzip' })
      const ofFile = await ask(`${url}/ipfs/${marked}`, { 'accept-encoding': 'gzip' })

      expect([ofBlock.headers['content-encoding'], ofFile.headers['content-encoding']]).toEqual([block, file])
      expect(same(block == null ? ofBlock.body : gunzipSync(ofBlock.body), bytes.subarray(0, 1024 * 1024))).toBe(true)
      expect(same(file == null ? ofFile.body : gunzipSync(ofFile.body), bytes)).toBe(true)
      expectSuccess(await stop())
    }
  })

  it('tells a failure of its disk to the operator, and to clients only that there is one', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    const cid = await sandbox.add(text(1000))
    const [file] = await blockFiles(sandbox.repo)
    const { url, stop } = await startGateway(sandbox)

    await writeFile(file, 'damaged')
    const damaged = await ask(`${url}/ipfs/${cid}`)
    await rm(file)
    await mkdir(file)
    const unreadable = await ask(`${url}/ipfs/${cid}?format=raw`)
    const { stderr } = await stop()

    expect([damaged.status, damaged.body.toString()]).toEqual([500, expect.stringContaining('damaged')])
    expect([unreadable.status, unreadable.body.toString()]).toEqual([500, expect.stringContaining('failed to answer')])
    expect(`${damaged.body}${unreadable.body}`).not.toContain(sandbox.directory)
    expect(stderr).toContain('is corrupt')
    expect(stderr).toContain('is not a regular file')
  })

  it('refuses a port that is in use, and a repo that is not there', async ({ sandbox }) => {
    expectFailure(await sandbox.run(['gateway', '--listen', '127.0.0.1:0']), 1)
    await sandbox.add(text(1000))
    const { url } = await startGateway(sandbox)

    const second = await sandbox.run(['gateway', '--listen', new URL(url).host])

    expectFailure(second, 1)
    expect(second.stderr).toContain(new URL(url).host)
  })

  it('refuses more requests at once than it may answer', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(16_000_000))
    const { url, metricsUrl } = await startGateway(sandbox, '--max-requests', '1', '--metrics', '127.0.0.1:0')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => { socket.destroy() })

    // never read to its end
    socket.write(`GET /ipfs/${cid} HTTP/1.1\r\nhost: a\r\n\r\n`)
    await once(socket, 'readable')

    expect((await ask(`${url}/ipfs/bafkqaaa`)).status).toBe(503)
    expect(await (await fetch(metricsUrl)).text()).toContain('ipfsz_gateway_requests_in_flight 1\n')

    socket.destroy()
    await expect.poll(async () => (await ask(`${url}/ipfs/bafkqaaa`)).status).toBe(200)
  })

  it('listens for other machines with --public', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const args = ['gateway', '--listen', '0.0.0.0:0', '--public', '--metrics', '127.0.0.1:0']
    const { url, metricsUrl } = await start(sandbox, args)

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await ask(`${url}/ipfs/bafkqaaa`)).status).toBe(200)
    expect((await ask(metricsUrl)).status).toBe(200)

    // another address of this machine, where what listens for itself cannot be reached
    if (process.platform === 'linux') {
      const { url: own } = await startGateway(sandbox)
      const [shared, ...others] = [url, metricsUrl, own].map(url => url.replace('127.0.0.1', '127.0.0.2'))
      expect((await ask(`${shared}/ipfs/bafkqaaa`)).status).toBe(200)
      await expect(ask(others[0])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      await expect(ask(others[1])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    }
  })
})

describe('what a gateway prints when it starts', () => {
  it.for([
    [['--metrics', '127.0.0.1:0'], 'CID.ipfs.localhost'],
    [['--host', 'gateway.example.com'], 'CID.ipfs.gateway.example.com']
  ] as const)('fits into 80 columns, and says where websites belong: %j', async ([args, place], { sandbox }) => {
    await sandbox.add(text(1000))
    const ended = new AbortController()
    const { stdout } = await sandbox.run(['gateway', '--listen', '127.0.0.1:0', ...args], {
      signal: ended.signal,
      onPrint: text => {
        if (text.includes('is ready')) {
          ended.abort()
        }
      }
    })
    const lines = stdout.toString().split('\n')

    expect(lines.filter(({ length }) => length > 80)).toEqual([])
    expect(lines.find(line => line.includes('For websites, use'))).toContain(place)
  })
})

describe('the access log', () => {
  it('has one line a request, in which a client cannot write what it wants', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const { url, stop } = await startGateway(sandbox, '--log', '--trust-proxy', 'loopback')

    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const answered = buffer(socket)

    socket.end(Buffer.from([
      'GET /ipfs/bafkqaaa?" HTTP/1.1',
      'host: a',
      'x-forwarded-for: 192.0.2.7',
      'user-agent: "\xe9\x9b2J\t',
      'connection: close',
      '',
      ''
    ].join('\r\n'), 'latin1'))
    expect((await answered).toString()).toMatch(/^HTTP\/1\.1 200 /)
    const { stdout } = await stop()
    const entries = parseLines(stdout).filter(({ event }) => event === 'request')

    expect(entries).toMatchObject([{
      address: '192.0.2.7',
      method: 'GET',
      url: '/ipfs/bafkqaaa?"',
      userAgent: '"\xe9\x9b2J'
    }])
    expect(stdout.toString()).not.toContain('\x9b')
  })

  it('has the combined log format without --json, and is silent without --log', async ({ sandbox }) => {
    await sandbox.add(text(1000))

    for (const [args, count] of [[['--log'], 1], [[], 0], [['--verbose'], 1]] as const) {
      const ended = new AbortController()
      const { stdout } = await sandbox.run(['gateway', '--listen', '127.0.0.1:0', ...args], {
        signal: ended.signal,
        onPrint: text => {
          if (text.includes('is ready')) {
            readFile(join(sandbox.repo, 'gateway.json'), 'utf8')
              .then(async file => ask(`${(JSON.parse(file) as { url: string }).url}/ipfs/bafkqaaa`))
              .finally(() => { ended.abort() })
          }
        }
      })
      const lines = stdout.toString().split('\n').filter(line => line.startsWith('127.0.0.1 - - ['))

      expect(lines).toHaveLength(count)
      expect(lines.join('')).toMatch(count === 0 ? /^$/ : /\] "GET \/ipfs\/bafkqaaa HTTP\/1\.1" 200 - "-" "-"$/)
    }
  })
})

describe('ipfsz add, while a gateway runs,', () => {
  it('prints the URL of what it added on stderr, and changes nothing on stdout', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const tree = join(sandbox.directory, 'tree')
    await mkdir(tree)
    await writeFile(join(tree, 'a.txt'), text(5000))
    const before = await sandbox.run(['add', tree])
    const { url, stop } = await startGateway(sandbox)

    const during = await sandbox.run(['add', tree])
    const json = await sandbox.run(['add', '--json', tree])
    const quiet = await sandbox.run(['add', '-Q', tree])
    await stop()
    const after = await sandbox.run(['add', '--json', tree])

    const [, root] = parseLines(json.stdout)
    expect(during.stdout.equals(before.stdout)).toBe(true)
    expect(before.stderr).toBe('')
    expect(during.stderr).toBe(`ipfsz: ${url}/ipfs/${String(root.cid)}/\n`)
    expect(quiet.stderr).toBe('')
    expect(json.stderr).toBe('')
    expect(parseLines(json.stdout)).toMatchObject([
      { name: 'tree/a.txt', url: expect.stringMatching(/\/ipfs\/bagc[a-z2-7]+\?filename=a\.txt$/) },
      { name: 'tree', url: `${url}/ipfs/${String(root.cid)}/` }
    ])
    expect(parseLines(after.stdout)[1]).not.toHaveProperty('url')
  })
})

describe('a gateway in a process of its own', { tags: 'slow' }, () => {
  it('ends at once on SIGTERM', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const child = sandbox.start(['gateway', '--listen', '127.0.0.1:0'])

    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes('is ready')) {
        break
      }
    }

    child.kill('SIGTERM')
    expect(await finish(child)).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  it('is not found by ipfsz add after it was killed', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const child = sandbox.start(['gateway', '--listen', '127.0.0.1:0'])

    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      if (String(chunk).includes('is ready')) {
        break
      }
    }

    child.kill('SIGKILL')
    await finish(child)
    expect(await readdir(sandbox.repo)).toContain('gateway.json')
    expectSuccess(await sandbox.run(['add', await sandbox.write('a', text(10))]))
  })
})

describe('a gateway that fetches', { tags: 'slow' }, () => {
  it('fetches through the daemon of the repo, as a part of it, or through a node of its own', async ({ sandbox }) => {
    const [other, repo] = ['other', 'repo'].map(name => join(sandbox.directory, name))
    const bytes = noise(300_000)
    const file = await sandbox.write('noise', bytes)
    const [a, b, c] = await Promise.all([1, 2, 3].map(async i => {
      await writeFile(`${file}${i}`, bytes.subarray(i))
      const added = await sandbox.run(['add', '-Q', `${file}${i}`, '--repo', other])

      return added.stdout.toString().trim()
    }))
    const peer = await startDaemon(sandbox, { repo: other })

    // a node of its own
    const alone = await startGateway(sandbox, '--fetch', '--peer', peer.address)
    expect((await ask(`${alone.url}/ipfs/${a}`)).body.equals(bytes.subarray(1))).toBe(true)
    // it stores nothing in the repo, so nothing hinders it
    expectSuccess(await sandbox.run(['blockstore', 'convert', '--layout', 'files']))
    await alone.stop()

    // the daemon, with a gateway of its own
    const daemon = await startDaemon(sandbox, {
      repo,
      bootstrap: [peer.address],
      args: ['--gateway', '127.0.0.1:0', '--gateway-fetch']
    })
    const { url } = JSON.parse(await readFile(join(repo, 'gateway.json'), 'utf8')) as { url: string }
    expect((await ask(`${url}/ipfs/${b}`)).body.equals(bytes.subarray(2))).toBe(true)

    // beside it, through it
    const beside = await startGateway(sandbox, '--fetch')
    expect((await ask(`${beside.url}/ipfs/${c}`)).body.equals(bytes.subarray(3))).toBe(true)
    await beside.stop()
    expect(await daemon.stop()).toEqual({ code: 0, stderr: '' })

    // nothing of it gets into the repo
    expect(await listBlocks(sandbox.repo)).toEqual([])
    const offline = await startGateway(sandbox)
    expect((await ask(`${offline.url}/ipfs/${c}`)).status).toBe(404)
  })

  it('keeps what it fetches in a bounded cache, also when it is killed', async ({ sandbox }) => {
    const other = join(sandbox.directory, 'other')
    const files = [1, 2, 3, 4].map(i => noise(3_000_000 + i))
    const cids: string[] = []

    for (const [i, bytes] of files.entries()) {
      const added = await sandbox.run(['add', '-Q', await sandbox.write(`noise${i}`, bytes), '--repo', other])
      cids.push(added.stdout.toString().trim())
    }

    const peer = await startDaemon(sandbox, { repo: other })
    const daemon = await startDaemon(sandbox, {
      repo: sandbox.repo,
      bootstrap: [peer.address],
      args: ['--gateway', '127.0.0.1:0', '--gateway-fetch', '--gateway-cache', '10MiB']
    })
    const { url } = JSON.parse(await readFile(join(sandbox.repo, 'gateway.json'), 'utf8')) as { url: string }
    const read = async (url: string, i: number): Promise<unknown> => {
      const { headers, body } = await ask(`${url}/ipfs/${cids[i]}`)
      expect(body.equals(files[i])).toBe(true)

      return headers['x-cache']
    }

    expect([await read(url, 0), await read(url, 0)]).toEqual(['MISS', 'HIT'])

    for (const i of [1, 2, 3]) {
      expect(await read(url, i)).toBe('MISS')
    }

    const cache = join(sandbox.repo, 'gateway-cache')
    const cached = async (): Promise<string[]> => (await readdir(join(cache, 'blocks'), {
      recursive: true,
      withFileTypes: true
    })).filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const taken = async (): Promise<number> =>
      (await Promise.all((await cached()).map(async file => (await stat(file)).size))).reduce((a, b) => a + b)
    await expect.poll(taken).toBeLessThanOrEqual(10 * 1024 * 1024)
    await daemon.kill()
    await peer.stop()
    expect(await listBlocks(sandbox.repo)).toEqual([])

    // one block is torn, as after a power cut
    const { multihash } = CID.parse(cids[2])
    const torn = (await cached()).find(file => file.endsWith(base32.encode(multihash.bytes))) ?? ''
    await writeFile(torn, 'torn')

    const again = await startDaemon(sandbox, { repo: other })
    const alone = await startGateway(sandbox, '--fetch', '--cache', '10MiB', '--peer', again.address)
    expect(alone.cacheDirectory).toBe(cache)
    expect(await read(alone.url, 3)).toBe('HIT')
    await read(alone.url, 2)
    await again.stop()

    // nobody is there to ask any more, and both are whole
    expect([await read(alone.url, 3), await read(alone.url, 2)]).toEqual(['HIT', 'HIT'])
    await alone.stop()
  })

  it('keeps nothing with --cache none', async ({ sandbox }) => {
    const other = join(sandbox.directory, 'other')
    const bytes = noise(300_000)
    const added = await sandbox.run(['add', '-Q', await sandbox.write('noise', bytes), '--repo', other])
    const peer = await startDaemon(sandbox, { repo: other })

    const { url, cacheDirectory } = await startGateway(sandbox, '--fetch', '--cache', 'none', '--peer', peer.address)
    const { headers, body } = await ask(`${url}/ipfs/${added.stdout.toString().trim()}`)

    expect(body.equals(bytes)).toBe(true)
    expect(headers['x-cache']).toBe('MISS')
    expect(cacheDirectory).toBeUndefined()
    expect(await readdir(sandbox.repo)).not.toContain('gateway-cache')
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })

  it('refuses options of the gateway without --gateway', async ({ sandbox }) => {
    for (const args of [['--gateway-fetch'], ['--gateway-public'], ['--gateway-metrics', '127.0.0.1:0']]) {
      expectFailure(await sandbox.run(['daemon', ...args]), 2)
    }

    expectFailure(await sandbox.run(['daemon', '--gateway', '0.0.0.0:0']), 2)
    expectFailure(await sandbox.run(['daemon', '--gateway', '127.0.0.1:0', '--gateway-cache', '1GiB']), 2)
    expectFailure(await sandbox.run(['gateway', '--cache', '1GiB']), 2)
    expectFailure(await sandbox.run(['gateway', '--fetch', '--cache', 'much']), 2)
  })
})
