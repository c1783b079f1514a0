import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { S3Blockstore } from '@ipfsz/blockstore-s3'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from '../integration/run-cli.ts'
import { listBlocks } from '../support/stored-blocks.ts'
import { startS3, stopS3 } from './s3/server.ts'
import type { S3Server } from './s3/server.ts'
import type { S3Credentials, S3Objects } from '@ipfsz/blockstore-s3'

const KEYS: S3Credentials = { accessKeyId: 'test', secretAccessKey: 'test' }

let server: S3Server

beforeAll(async () => {
  server = await startS3()
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEYS.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEYS.secretAccessKey)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await stopS3(server)
})

/** A new bucket, and the URL of a prefix in it. */
async function makeBucket (): Promise<{ bucket: S3Blockstore, url: string }> {
  const name = `ipfsz-${randomUUID()}`
  const bucket = new S3Blockstore(
    { bucket: name, prefix: 'site', endpoints: [server.endpoint], credentials: KEYS },
    { createIfMissing: true }
  )
  await bucket.open()

  return { bucket, url: `s3://${name}/site?endpoint=${server.endpoint}` }
}

/** Damage the only block of the only pack of a store. */
async function damagePack (objects: S3Objects): Promise<void> {
  const [[{ key }]] = await Array.fromAsync(objects.list('packs/'))
  const bytes = await objects.get(key)
  await objects.put(key, bytes.fill(0, bytes.byteLength - 500))
}

describe('ipfsz migrate', () => {
  it('copies blocks to a bucket and back, goes on where it was, and finds damage', async ({ sandbox }) => {
    const { bucket, url } = await makeBucket()
    await sandbox.add(text(1_500_000), '--codec', 'none')
    await sandbox.add(noise(1000))
    const { length } = await listBlocks(sandbox.repo)
    const run = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await sandbox.run(['migrate', '--json', ...args])

      return parseLines(stdout)[0]
    }

    expect(await run(sandbox.repo, url)).toMatchObject({ copied: length, there: 0, lost: 0 })
    expect(await run('--dry-run', sandbox.repo, url)).toMatchObject({ copied: 0, there: length })
    expect(await run(url, 'back')).toMatchObject({ copied: length, lost: 0, pins: 0 })
    expect(await listBlocks(join(sandbox.directory, 'back'))).toHaveLength(length)

    const [[{ cid }]] = await Array.fromAsync(bucket.list())
    await bucket.put(cid, text(10))
    const { code, stderr, stdout } = await sandbox.run(['migrate', '--json', url, 'again'])

    expect(code).toBe(1)
    expect(parseLines(stdout)).toMatchObject([{ copied: length - 1, lost: 1 }])
    expect(stderr).toContain('CorruptBlockError')

    expect(await run(sandbox.repo, url)).toMatchObject({ replaced: 0, there: length })
    expect(await run('--verify', sandbox.repo, url)).toMatchObject({ replaced: 1, there: length - 1, lost: 0 })
    expect(await run(url, 'again')).toMatchObject({ copied: 1, lost: 0 })
  })

  it('replaces a block that is damaged in a store, though the cache of the node has it', async ({ sandbox }) => {
    const { bucket, url } = await makeBucket()
    const cid = await sandbox.add(noise(100_000))
    expectSuccess(await sandbox.run(['--repo', 'node', 'init', '--store', url]))
    expectSuccess(await sandbox.run(['migrate', sandbox.repo, 'node']))
    expectSuccess(await sandbox.run(['--repo', 'node', 'cat', '--offline', cid]))
    await damagePack(bucket.objects)

    const result = await sandbox.run(['migrate', '--json', '--verify', sandbox.repo, 'node'])
    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ replaced: 1, lost: 0 }])
    expectSuccess(await sandbox.run(['--repo', 'node', 'verify', '--all']))
  })

  it('replaces a block that repair finds damaged', async ({ sandbox }) => {
    const { bucket, url } = await makeBucket()
    await sandbox.add(noise(1000))
    expectSuccess(await sandbox.run(['--repo', 'node', 'init', '--store', url]))
    expectSuccess(await sandbox.run(['migrate', sandbox.repo, 'node']))
    await damagePack(bucket.objects)

    const repaired = await sandbox.run(['--repo', 'node', 'repair', '--json'])
    expect(repaired.code).toBe(1)
    expect(parseLines(repaired.stdout)).toContainEqual(expect.objectContaining({ state: 'damaged' }))
    const result = await sandbox.run(['migrate', '--json', '--verify', sandbox.repo, 'node'])
    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ replaced: 1, lost: 0 }])
    expectSuccess(await sandbox.run(['--repo', 'node', 'verify', '--all']))
  })

  it('copies blocks, pins and links to a store that nodes share, and from it', async ({ sandbox }) => {
    const { url } = await makeBucket()
    const cid = await sandbox.add(text(100_000), '--link')
    expectSuccess(await sandbox.run(['--repo', 'node', 'init', '--store', url]))

    for (const stores of [[sandbox.repo, 'node'], ['node', 'back']]) {
      const result = await sandbox.run(['migrate', '--json', ...stores])
      expectSuccess(result)
      expect(parseLines(result.stdout)).toMatchObject([{ copied: 1, lost: 0, pins: 1, links: 1 }])
    }

    expect((await sandbox.run(['--repo', 'back', 'cat', '--offline', cid])).stdout.equals(text(100_000))).toBe(true)
    expectFailure(await sandbox.run(['migrate', 'node', 'node']), 2)
  })

  it('refuses a bucket that is missing or that nodes share, and a URL with a password', async ({ sandbox }) => {
    const { bucket, url } = await makeBucket()
    expectSuccess(await sandbox.run(['add', '-Q', await sandbox.write('file', text(1000))]))
    await bucket.objects.put('ipfsz-store.json', text(10))

    expectFailure(await sandbox.run(['migrate', sandbox.repo, url]), 2)
    expectFailure(await sandbox.run(['migrate', url, 'new']), 2)
    expectFailure(await sandbox.run(['migrate', `s3://missing-${randomUUID()}?endpoint=${server.endpoint}`, 'new']), 1)
    expectFailure(await sandbox.run(['migrate', 's3://user:pass@bucket', 'new']), 2)
  })
})
