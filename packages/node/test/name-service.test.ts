import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mark, TREE_CODE } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseName, readRecord, recordKey } from '../src/network/names/name-records.ts'
import { NameService } from '../src/network/names/name-service.ts'
import { waitForDht } from '../src/network/dht/dhts.ts'
import { RepoDatastore } from '../src/repo/repo-datastore.ts'
import { testNode } from './nodes.ts'
import type { Node } from '../src/network/node/node.ts'

const { signal } = new AbortController()
const marked = mark(CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'), TREE_CODE)
const other = CID.parse('bafybeictuxf4td3kv2j7mxiwdc5hfopnjgyklkqjgkosihs756ixmbdhs4')

async function makeNames (node: Node): Promise<NameService> {
  const path = await mkdtemp(join(tmpdir(), 'ipfsz-names-'))
  onTestFinished(async () => { await rm(path, { recursive: true }) })
  const datastore = new RepoDatastore(join(path, 'datastore'), { sync: false })
  await datastore.open()

  return new NameService({ path, datastore }, node.libp2p)
}

async function pair (): Promise<{ a: Node, b: Node, names: NameService, others: NameService }> {
  const [a, b] = await Promise.all([testNode(), testNode()])
  await a.libp2p.dial(b.libp2p.getMultiaddrs())
  await Promise.all([waitForDht(a.libp2p, signal), waitForDht(b.libp2p, signal)])

  return { a, b, names: await makeNames(a), others: await makeNames(b) }
}

describe('NameService', () => {
  it('resolves a name to what was published last', async () => {
    const { names, others } = await pair()

    const first = await names.publish(marked, '', { key: 'self', signal })
    await expect(others.resolve(first.name, signal)).resolves.toEqual({ cid: marked, path: '', ttl: 300 })

    const second = await names.publish(other, 'a', { key: 'self', signal })
    expect(second).toMatchObject({ name: first.name, sequence: first.sequence + 1n })
    await expect(others.resolve(first.name, signal)).resolves.toEqual({ cid: other, path: 'a', ttl: 300 })
  })

  it('publishes names again with the same sequence number and marker', async () => {
    const { a, names, others } = await pair()
    const { name } = await names.publish(marked, '', { key: 'self', signal })
    const put = vi.spyOn(a.libp2p.services.lan, 'put')

    await names.publishAgain(signal)

    expect(put).toHaveBeenCalledTimes(1)
    await expect(others.resolve(name, signal)).resolves.toEqual({ cid: marked, path: '', ttl: 300 })
    await expect(names.publish(other, '', { key: 'self', signal })).resolves.toMatchObject({ sequence: 2n })
  })

  it('hands out the record of a name as it was published', async () => {
    const { names, others } = await pair()
    const { name, sequence } = await names.publish(marked, 'a', { key: 'self', signal })
    const record = await others.record(name, signal)

    await expect(readRecord(recordKey(parseName(name)), record))
      .resolves.toEqual({ sequence, value: { cid: marked, path: 'a', ttl: 300 } })
  })

  it('refuses a name when no peer has a record of it', async () => {
    const { names } = await pair()

    await expect(names.resolve('k51qzi5uqu5dk7q8vhdy5ud4u9kbuatxshxayzy21v2e0gux0m2f4yydzmkx48', signal))
      .rejects.toMatchObject({ name: 'NameError' })
    await expect(names.record('k51qzi5uqu5dk7q8vhdy5ud4u9kbuatxshxayzy21v2e0gux0m2f4yydzmkx48', signal))
      .rejects.toMatchObject({ name: 'NameError' })
  })
})
