import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { loadOrCreateKey } from '../../packages/node/dist/network/names/keys.js'
import { formatName } from '../../packages/node/dist/network/names/name-records.js'
import { writePublished } from '../../packages/node/dist/network/names/own-names.js'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { startGateway } from './run-gateway.ts'
import type { Sandbox } from './run-cli.ts'

describe.concurrent('ipfsz name', () => {
  it('publishes marked CIDs and paths that others resolve unchanged', { tags: 'slow' }, async ({ sandbox }) => {
    const bootstrap = (await startDaemon(sandbox, { repo: join(sandbox.directory, 'boot') })).address
    const { peerId } = await startDaemon(sandbox, { bootstrap: [bootstrap] })
    const cid = await sandbox.add(text(100_000))
    const env = { IPFSZ_BOOTSTRAP: bootstrap }
    const elsewhere = ['--repo', join(sandbox.directory, 'elsewhere')]

    const [own] = parseLines((await sandbox.run(['name', 'publish', '--json', cid])).stdout)
    const [other] = parseLines(
      (await sandbox.run(['name', 'publish', '--json', `${cid}/a/b`, '--key', 'other'])).stdout
    )

    expect(own).toEqual({ name: expect.stringMatching(/^k51/), cid, path: '', sequence: 1 })
    expect(other.name).not.toBe(own.name)
    expect((await stat(join(sandbox.repo, 'keys', 'other'))).mode & 0o777).toBe(0o600)

    for (
      const [name, lead] of [[own.name, cid], [`/ipns/${own.name}`, cid], [peerId, cid], [other.name, `${cid}/a/b`]]
    ) {
      const resolved = await sandbox.run(['name', 'resolve', String(name), ...elsewhere], { env })

      expectSuccess(resolved)
      expect(resolved.stdout.toString()).toBe(`${String(lead)}\n`)
    }

    const copied = await sandbox.run(['name', 'publish', '--json', `/ipns/${String(other.name)}/c`, '--key', 'copy'])
    expect(parseLines(copied.stdout)).toMatchObject([{ cid, path: 'a/b/c' }])

    // one by the daemon of the repo, one by a node of the command
    for (const args of [[], elsewhere]) {
      const read = await sandbox.run(['cat', `/ipns/${String(own.name)}`, ...args], { env })

      expectSuccess(read)
      expect(Buffer.compare(read.stdout, text(100_000))).toBe(0)
    }
  })

  it('publishes without a daemon and increments the sequence number', { tags: 'slow' }, async ({ sandbox }) => {
    const bootstrap = (await startDaemon(sandbox, { repo: join(sandbox.directory, 'boot') })).address
    const env = { IPFSZ_BOOTSTRAP: bootstrap }
    const [first, second] = [await sandbox.add(text(10_000)), await sandbox.add(text(20_000))]

    const published = []
    for (const cid of [first, second]) {
      published.push(...parseLines((await sandbox.run(['name', 'publish', '--json', cid], { env })).stdout))
    }

    expect(published).toMatchObject([{ cid: first, sequence: 1 }, { cid: second, sequence: 2 }])
    expect((await sandbox.run(['name', 'resolve', String(published[0].name)], { env })).stdout.toString())
      .toBe(`${second}\n`)
  })

  it('refuses to publish when no peer stores the record', { tags: 'slow' }, async ({ sandbox }) => {
    await startDaemon(sandbox)
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['name', 'publish', cid]), 1)
  })

  it.for<[string, string[], number]>([
    ['to publish an invalid CID', ['name', 'publish', 'nothing'], 2],
    [
      'a key name that leads out of the repo',
      ['name', 'publish', 'bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu', '--key', '../key'],
      2
    ],
    ['to resolve an invalid name', ['name', 'resolve', 'nothing'], 1]
  ])('refuses %s', async ([, args, code], { sandbox }) => {
    await startDaemon(sandbox)

    expectFailure(await sandbox.run(args), code)
  })

  it.for([
    ['cat', 'ipns://nothing'],
    ['get', '/ipns/example.com'],
    ['ls', '/ipns/k51qzi5uqu5dk7q8vhdy5ud4u9kbuatxshxayzy21v2e0gux0m2f4yydzmkx48'],
    ['stat', '/ipns/..']
  ])('refuses %s %s, which leads nowhere, without a network', async ([command, name], { sandbox }) => {
    await sandbox.run(['init'])

    expectFailure(await sandbox.run([command, name]), 1)
  })

  it('refuses to resolve a name without a daemon or peers to ask', async ({ sandbox }) => {
    const result = await sandbox.run([
      'name',
      'resolve',
      'k51qzi5uqu5dk7q8vhdy5ud4u9kbuatxshxayzy21v2e0gux0m2f4yydzmkx48'
    ])

    expectFailure(result, 1)
    expect(result.stderr).toContain('ipfsz daemon')
  })
})

/** Add a tree with one file, and publish the directory of that file under the key `holiday`. */
async function publishTree (sandbox: Sandbox, bytes: Uint8Array): Promise<{ cid: string, name: string }> {
  await mkdir(join(sandbox.directory, 'tree/sub'), { recursive: true })
  await sandbox.write('tree/sub/a b.txt', bytes)
  const cid = (await sandbox.run(['add', '-Q', 'tree'])).stdout.toString().trim()
  const { datastore } = await openRepo(sandbox.repo, { sync: false })
  const key = await loadOrCreateKey(sandbox.repo, 'holiday')
  // as ipfsz name publish does, but without peers
  await writePublished(datastore, 'holiday', { cid, path: 'sub', sequence: 1n, lifetime: 3_600_000 })

  return { cid, name: formatName(key.publicKey.toMultihash()) }
}

describe('a path below a name', () => {
  it('reads what a name of the repo leads to, offline, and elsewhere through a gateway', async ({ sandbox }) => {
    const bytes = text(10_000)
    const { name } = await publishTree(sandbox, bytes)
    const { url } = await startGateway(sandbox)
    const elsewhere = { env: { IPFSZ_PATH: join(sandbox.directory, 'elsewhere') } }

    for (const file of ['/ipns/holiday/a b.txt', `ipns://${name}/a b.txt`, `${url}/ipns/${name}/a%20b.txt`]) {
      const read = await sandbox.run(['cat', file, '--offline'])
      expectSuccess(read)
      expect(Buffer.compare(read.stdout, bytes), file).toBe(0)
    }

    const read = await sandbox.run(['cat', `/ipns/${name}/a b.txt`, '--gateway', url], elsewhere)
    expectSuccess(read)
    expect(Buffer.compare(read.stdout, bytes)).toBe(0)

    const listed = await sandbox.run(['ls', '--json', '/ipns/holiday'])
    expect(parseLines(listed.stdout)).toMatchObject([{ name: 'a b.txt', size: bytes.byteLength, codec: 'zstd' }])
    const shown = await sandbox.run(['stat', '--json', '/ipns/holiday/a b.txt'])
    expect(parseLines(shown.stdout)).toMatchObject([{ type: 'file', size: bytes.byteLength }])
    expectSuccess(await sandbox.run(['get', '/ipns/holiday']))
    expect(await readdir(join(sandbox.directory, 'holiday'))).toEqual(['a b.txt'])
    expectFailure(await sandbox.run(['cat', `/ipns/${name}/a b.txt`, '--offline'], elsewhere), 1)
  })
})

describe('commands that take a CID', () => {
  it('take a name, a path, and the URL of a gateway in its place', async ({ sandbox }) => {
    const bytes = text(10_000)
    const { cid: tree, name } = await publishTree(sandbox, bytes)
    const file = await sandbox.add(bytes, '--no-pin')
    const plain = await print('cid', 'plain', file)
    const targets = [
      '/ipns/holiday/a b.txt',
      `ipns://${name}/a b.txt`,
      `${tree}/sub/a b.txt`,
      `http://127.0.0.1:1/ipfs/${tree}/sub/a%20b.txt`,
      file
    ]
    const verified = await print('verify', file)
    const car = await print('car', 'export', file, '-o', '-')

    for (const target of targets) {
      expect(await print('cid', 'plain', target)).toBe(plain)
      expect(await print('diff', target, file)).toBe('')
      expect(await print('verify', target)).toBe(verified)
      expect(await print('repair', target, '--offline')).toMatch(new RegExp(`^${file}\tgood\t`))
      expect(await print('du', target)).toMatch(/^10000\t\d+\t/)
      expect(await print('car', 'export', target, '-o', '-')).toBe(car)
      expect(await print('pin', 'add', target)).toBe(`${file}\tpinned`)
      expect(await print('pin', 'rm', target)).toMatch(new RegExp(`^${file}\tunpinned`))
      expect(await print('rm', target)).toMatch(new RegExp(`^${file}\t-\t`))
    }

    expect(await print('name', 'resolve', 'holiday')).toBe(`${tree}/sub`)
    expect(await print('name', 'resolve', '/ipns/holiday/a b.txt')).toBe(`${tree}/sub/a b.txt`)

    const original = (await sandbox.run(['add', '-Q', '--codec', 'none', 'tree'])).stdout.toString().trim()
    const linked = await print('link', 'add', `${original}/sub/a b.txt`, '/ipns/holiday/a b.txt')
    expect(await print('link', 'ls')).toBe(linked)
    expect(await print('link', 'rm', '/ipns/holiday/a b.txt')).toBe(`${file}\tunlinked`)

    async function print (...args: string[]): Promise<string> {
      const { code, stdout, stderr } = await sandbox.run(args)
      expect({ code, stderr: args.includes('-o') ? '' : stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })

      return stdout.toString('latin1').trimEnd()
    }
  })

  it.for(['verify', 'repair', 'pin add', 'pin rm', 'rm', 'du', 'cid plain'])(
    'refuse with %s a path that leads nowhere, and a name of nobody',
    async (command, { sandbox }) => {
      const { cid } = await publishTree(sandbox, text(1000))

      for (const target of [`${cid}/nothing`, '/ipns/nothing']) {
        const { code, stdout, stderr } = await sandbox.run([...command.split(' '), target])

        expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' })
        expect(stderr).toMatch(/"nothing"/)
      }
    }
  )
})
