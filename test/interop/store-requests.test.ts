/** How many requests a folder takes to and from a store in S3: each takes time, and costs money. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { S3Objects } from '@ipfsz/blockstore-s3'
import { expect, onTestFinished } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { makeTree } from '../integration/tree-files.ts'
import { noise, text } from '../support/data.ts'
import { faultyGateway } from './ceph/faulty-gateway.ts'
import { storeAt } from './s3/server.ts'
import { useS3 } from './s3/use-server.ts'

/** What processes ask every few seconds. Everything else does not depend on how fast this machine is. */
const REPEATED = /\/leases\/|prefix=site%2F(?:rounds|sessions)%2F/

/** The most requests of each step. */
const MOST: Readonly<Record<string, number>> = {
  'add': 14,
  'add again': 9,
  'add on a new node': 11,
  'get': 6,
  'get again': 3,
  'get on a new node': 8,
  'add half': 10,
  'unpin': 5,
  'collect': 25,
  'collect again': 15
}

const endpoint = useS3()

it('takes no more requests for a folder of two packs than it did', async ({ sandbox }) => {
  const bucket = `ipfsz-${randomUUID()}`
  await new S3Objects(storeAt(endpoint(), bucket)).createBucket()
  const proxy = await faultyGateway(endpoint())
  onTestFinished(proxy.close)
  const store = `s3://${bucket}/site?endpoint=${proxy.url}`
  const run = async (node: string, ...args: string[]): Promise<string> => {
    const result = await sandbox.run([...args, '--repo', join(sandbox.directory, node)])
    expectSuccess(result)

    return result.stdout.toString().trim()
  }
  const counts: Record<string, number> = {}
  const count = async (step: string, node: string, ...args: string[]): Promise<string> => {
    const before = proxy.seen.length
    const printed = await run(node, ...args)
    counts[step] = proxy.seen.slice(before).filter(({ path }) => !REPEATED.test(path)).length

    return printed
  }

  await makeTree(join(sandbox.directory, 'folder'), Object.fromEntries(Array.from({ length: 240 }, (_, i) =>
    [`${i % 2 === 0 ? 'kept' : 'gone'}/${i % 24}/${i}`, i % 6 < 3 ? noise(300_000, i) : text(2000 + i, i)])))

  for (const node of ['first', 'second', 'third']) {
    await run(node, 'init', '--store', store)
  }

  const folder = await count('add', 'first', 'add', '-Q', 'folder')
  await count('add again', 'first', 'add', '-Q', 'folder')
  await count('add on a new node', 'second', 'add', '-Q', 'folder')
  await count('get', 'first', 'get', folder, '-o', 'got')
  await count('get again', 'first', 'get', folder, '-o', 'got again')
  await count('get on a new node', 'third', 'get', folder, '-o', 'got there')
  await count('add half', 'first', 'add', '-Q', 'folder/kept')
  await count('unpin', 'first', 'pin', 'rm', folder)
  await count('collect', 'first', 'gc')
  await count('collect again', 'first', 'gc')

  const worse = Object.entries(counts).filter(([step, requests]) => !(requests <= MOST[step]))
  expect(worse).toEqual([])
})
