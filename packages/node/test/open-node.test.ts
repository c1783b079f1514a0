import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import all from 'it-all'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openNode } from '../src/open-node/index.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import type { OpenNodeInit, RunningNode } from '../src/open-node/index.ts'

const TEXT = 'the same words again and again, '.repeat(100_000)
const BYTES = new TextEncoder().encode(TEXT)
const ALONE: OpenNodeInit = { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: [] }

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-node-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

async function start (init = ALONE): Promise<RunningNode> {
  const node = await openNode(await makeDirectory(), init)
  onTestFinished(async () => { await node.stop() })

  return node
}

describe('a running node', () => {
  it('gives what is pinned to a node that connects to it, which stores it', async () => {
    const [sender, receiver] = [await start(), await start()]
    const { cid } = await sender.repo.add(BYTES)

    expect(await receiver.connect(sender.id.addresses[0])).toBe(sender.id.peerId)
    expect(await receiver.peers()).toMatchObject([{ peerId: sender.id.peerId, direction: 'outbound' }])

    const senders: string[] = []
    const directory = await makeDirectory()
    await receiver.repo.get(cid, join(directory, 'copy'), {
      onProgress (event) {
        if (event.type === 'ipfsz:fetch:arrived') {
          senders.push(event.detail.sender)
        }
      }
    })

    expect(await readFile(join(directory, 'copy'), 'utf8')).toBe(TEXT)
    expect(new Set(senders)).toEqual(new Set([sender.id.peerId]))
    // now it is in its repo
    expect((await receiver.repo.verify(cid)).size).toBe(BigInt(BYTES.byteLength))
    await receiver.repo.pins.add(cid)
  })

  it('is what another handle of its repo fetches through, if that may use the network', async () => {
    const [sender, receiver] = [await start(), await start()]
    const { cid } = await sender.repo.add(BYTES)
    await receiver.connect(sender.id.addresses[0])

    await using offline = await openRepo(receiver.repo.path)
    await using online = await openRepo(receiver.repo.path, { network: {} })
    const read = async (repo: typeof online): Promise<string> => repo.withFiles(cid, async (files, cid) =>
      Buffer.concat(await all(files.cat(cid))).toString())

    await expect(read(offline)).rejects.toMatchObject({ name: 'NotFoundError' })
    expect(await read(online)).toBe(TEXT)
  })

  it('is alone on its repo, and leaves it when it stops', async () => {
    const node = await start()

    await expect(openNode(node.repo.path, ALONE))
      .rejects.toMatchObject({ name: 'DaemonRunningError', pid: process.pid })
    await node.stop()
    await expect(node.repo.add(BYTES)).rejects.toMatchObject({ name: 'RepoClosedError' })

    const again = await openNode(node.repo.path, ALONE)

    expect(again.id.peerId).toBe(node.id.peerId)
    await again.stop()
  })

  it('refuses addresses that are none, and peers that cannot be reached', async () => {
    const node = await start()

    await expect(node.connect('no address')).rejects.toMatchObject({ name: 'UsageError' })
    await expect(node.connect(`/ip4/127.0.0.1/tcp/1/p2p/${node.id.peerId.slice(0, -1)}A`)).rejects.toThrow(Error)
    await expect(openNode(await makeDirectory(), { ...ALONE, listen: ['no address'] }))
      .rejects.toMatchObject({ name: 'UsageError' })
  })

  it('ends its start when its signal is aborted, and holds no lock then', async () => {
    const directory = await makeDirectory()
    const reason = new Error('enough')

    await expect(openNode(directory, { ...ALONE, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await (await openNode(directory, ALONE)).stop()
  })
})
