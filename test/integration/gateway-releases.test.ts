/** Releases of a site that the command adds and serves: a client with the last one gets what changed. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { loadOrCreateKey } from '../../packages/node/dist/network/names/keys.js'
import { formatName } from '../../packages/node/dist/network/names/name-records.js'
import { writePublished } from '../../packages/node/dist/network/names/own-names.js'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { noise, text } from '../support/data.ts'
import { startGateway } from './run-gateway.ts'
import { it } from './run-cli.ts'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Sandbox } from './run-cli.ts'

const APP = Buffer.concat([noise(60_000), text(40_000)])
const NEXT = Buffer.concat([APP.subarray(0, 50_000), Buffer.from('changed'), APP.subarray(50_010)])
const HASH = createHash('sha256').update(APP).digest('base64')

/** Publish a release under the key `site`, and return its name. */
async function publish ({ run, repo, write }: Sandbox, app: Uint8Array, sequence: bigint): Promise<string> {
  await write('dist/app.js', app)
  const added = await run(['site', 'add', 'dist', '--base', 'latest', '--json'])
  const { tree: cid } = JSON.parse(added.stdout.toString()) as { tree: string }
  const { datastore } = await openRepo(repo, { sync: false })
  const key = await loadOrCreateKey(repo, 'site')
  // as ipfsz name publish does, but without peers
  await writePublished(datastore, 'site', { cid, path: '', sequence, lifetime: 3_600_000 })

  return formatName(key.publicKey.toMultihash())
}

/** Ask a gateway for a file of a name, with the host that a browser would send. */
async function ask (
  url: string,
  name: string,
  headers: Record<string, string>
): Promise<{ headers: IncomingHttpHeaders, body: Buffer }> {
  const { port } = new URL(url)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const host = `${name}.ipns.localhost:${port}`
    request({ host: '127.0.0.1', port, path: '/app.js', headers: { host, ...headers } })
      .on('response', resolve).on('error', reject).end()
  })

  return { headers: response.headers, body: await buffer(response) }
}

describe('ipfsz gateway, for a name whose site has a new release', () => {
  it('sends what changed of a file, as it is stored, to a client that has the last one', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'dist'))
    await sandbox.write('dist/index.html', Buffer.from('<!doctype html>'))
    const name = await publish(sandbox, APP, 1n)
    const { url } = await startGateway(sandbox, '--compress', 'all')
    const codings = { 'accept-encoding': 'gzip, br, zstd, dcz' }

    const first = await ask(url, name, codings)
    expect(first.headers).toMatchObject({
      'content-encoding': 'zstd', 'use-as-dictionary': expect.stringMatching(/^match="\/app\.js", id="bafy/)
    })

    await publish(sandbox, NEXT, 2n)
    const dictionary = { 'available-dictionary': `:${HASH}:` }
    const next = await ask(url, name, { ...codings, ...dictionary })
    expect(next.headers['content-encoding']).toBe('dcz')
    expect(next.headers.vary).toContain('Available-Dictionary')
    expect(next.body.byteLength).toBeLessThan(1000)
    expect(zstdDecompressSync(next.body.subarray(40), { dictionary: APP }).equals(NEXT)).toBe(true)

    // who comes now is offered this one, and gets the next one compressed with it
    const late = await ask(url, name, codings)
    const [, id = ''] = /, id=("bafy\w+")$/.exec(`${late.headers['use-as-dictionary']}`) ?? []
    const third = Buffer.concat([NEXT, Buffer.from('more')])
    await publish(sandbox, third, 3n)
    const hash = createHash('sha256').update(NEXT).digest('base64')
    const has = { 'available-dictionary': `:${hash}:`, 'dictionary-id': id }
    const compressed = await ask(url, name, { ...codings, ...has })
    expect(compressed.headers['content-encoding']).toBe('dcz')
    expect(compressed.body.byteLength).toBeLessThan(1000)
    expect(zstdDecompressSync(compressed.body.subarray(40), { dictionary: NEXT }).equals(third)).toBe(true)
    await publish(sandbox, NEXT, 4n)

    // all others get it as before
    const other = await ask(url, name, { 'accept-encoding': 'gzip' })
    expect(other.headers['content-encoding']).toBe('gzip')
    const none = await ask(url, name, dictionary)
    expect(none.headers['content-encoding']).toBeUndefined()
    expect(none.body.equals(NEXT)).toBe(true)
  })
})
