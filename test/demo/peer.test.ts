import { createHash } from 'node:crypto'
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNodePeer } from '../../examples/web-app/node-peer.ts'
import { noise, text } from '../support/data.ts'
import { useDemo } from './open-demo.ts'
import type { NodePeer } from '../../examples/web-app/node-peer.ts'

const FRAME_SIZE = 1024 * 1024
const TEXT = text(6 * FRAME_SIZE)
const COMPRESSION = { codec: 'zstd', frameSize: FRAME_SIZE } as const

/** The CID of a block that no peer has. */
const UNKNOWN = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

/** A blockstore that never answers for some blocks. */
class StallingBlockstore extends MemoryBlockstore {
  readonly #stalls: (cid: CID) => boolean

  constructor (stalls: (cid: CID) => boolean) {
    super()
    this.#stalls = stalls
  }

  override async * get (...args: Parameters<MemoryBlockstore['get']>): ReturnType<MemoryBlockstore['get']> {
    if (this.#stalls(args[0])) {
      await new Promise(() => {})
    }

    yield * super.get(...args)
  }
}

function sumOf (bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function usePeer (blockstore: MemoryBlockstore): Promise<NodePeer> {
  const peer = await startNodePeer(blockstore)
  onTestFinished(async () => { await peer.stop() })

  return peer
}

describe('the demo page with a peer in Node', () => {
  const { open, demo } = useDemo()

  it('offers to give a file to a peer only while one is connected', { tags: 'nightly' }, async () => {
    const page = await open()
    const give = page.button('Give to the peer')

    await page.add({ name: 'text', bytes: text(10_000) })
    expect(await give.isDisabled()).toBe(true)
    await page.connect()
    expect(await give.isDisabled()).toBe(false)
  })

  it('downloads a folder as a tar archive of the original files', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const added = await Array.fromAsync(fs.addAll([
      { path: 'folder/a/text', content: TEXT }, { path: 'folder/noise', content: noise(3 * FRAME_SIZE) }
    ]))
    const { cid } = added.at(-1) ?? {}
    const peer = await usePeer(blockstore)
    const page = await open()
    const gateway = createGateway({ fs, blocks: blockstore })
    const expected = await gateway(new Request(`http://127.0.0.1/ipfs/${cid}?format=tar`))

    await page.connect(peer.address)
    await page.openAddress(`${cid}`)
    await page.view.getByRole('list', { name: 'In this folder' }).waitFor()
    const [downloaded, tar] = [await page.download(), Buffer.from(await expected.arrayBuffer())]

    expect([downloaded.byteLength, downloaded.toString('latin1', 0, 300), sumOf(downloaded)])
      .toEqual([tar.byteLength, tar.toString('latin1', 0, 300), sumOf(tar)])

    // a folder in it, whose name the archive has
    await page.openAddress(`${cid}/a`)
    await page.shows('a')
    expect((await page.download()).toString('latin1', 0, 2)).toBe('a/')
  })

  it('sends a file added in Chromium to the peer, which reads the same bytes', async () => {
    const page = await open()
    await page.add({ name: 'text', bytes: TEXT })
    await page.connect()
    await page.button('Give to the peer').click()
    await page.view.getByText('The peer has fetched all 6.29 MB').waitFor()
    expect(await page.view.locator('.outcome code').innerText()).toBe(sumOf(TEXT))

    // the peer has stored it, and reads it when the page is gone
    const cid = CID.parse(await page.copied('CID'))
    await page.page.close()
    const read = Buffer.concat(await Array.fromAsync(demo().peer.fs.cat(cid)))
    expect(read.equals(TEXT)).toBe(true)
  })

  it('sends the peer a folder with everything below it', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.addSample('Folder', 'trip')
    await page.connect()
    await page.button('Give to the peer').click()
    await page.view.getByText('The peer has fetched all').waitFor()
    const cid = CID.parse(await page.copied('CID'))
    await page.page.close()

    const read = Buffer.concat(await Array.fromAsync(demo().peer.fs.cat(cid, { path: 'weather.csv' })))
    expect(read.toString()).toMatch(/^time,place,/)
  })

  it('still shows the connected peer when it cannot connect to another', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.connect()
    await page.page.getByLabel('Address of a peer that speaks WebSockets').fill('nonsense')
    await page.button('Connect').click()
    await page.page.locator('#peer').getByRole('alert').waitFor()

    expect(await page.page.locator('.connected').innerText()).toContain(demo().peer.address.split('/').at(-1))
  })

  it('reads a file added in Node, and shows which blocks came from the peer', async () => {
    const cid = await demo().peer.fs.addBytes(text(6 * FRAME_SIZE, 2), { compression: COMPRESSION })
    const page = await open()
    await page.connect()
    await page.openAddress(cid.toString())
    await page.shows('Unnamed')
    await page.drag(0.9, 0.95)
    expect(await page.view.locator('.dag [data-kind=leaf].lit.peer').count()).toBe(1)

    // the same range again comes from the blocks stored here
    await page.drag(0.9, 0.95)
    await expect.poll(async () => page.view.locator('.dag [data-kind=leaf].lit.peer').count()).toBe(0)
    expect(await page.view.locator('.dag [data-kind=leaf].lit').count()).toBe(1)
    expect((await page.download()).equals(text(6 * FRAME_SIZE, 2))).toBe(true)
  })

  it('reads a file in a folder of the peer by its path', { tags: 'nightly' }, async () => {
    let root: CID | undefined

    for await (
      const { cid } of demo().peer.fs.addAll([
        { path: 'docs/deep/a.txt', content: TEXT.subarray(0, 100_000) },
        { path: 'docs/b.txt', content: TEXT.subarray(0, 10) }
      ])
    ) {
      root = cid
    }

    const page = await open()
    await page.connect()
    await page.openAddress(`${root}/deep/a.txt`)
    await page.shows('a.txt')

    expect((await page.download()).equals(TEXT.subarray(0, 100_000))).toBe(true)
  })

  it('keeps a folder of the peer, and reads it when the peer is gone', async () => {
    const peer = await usePeer(new MemoryBlockstore())
    const { cid } = await Array.fromAsync(
      peer.fs.addAll([{ path: 'docs/a.txt', content: TEXT }, { path: 'docs/b.txt', content: TEXT.subarray(0, 10) }])
    ).then(results => results.at(-1) ?? { cid: undefined })

    const page = await open({ expected: /WebSocket/ })
    await page.connect(peer.address)
    await page.openAddress(String(cid))
    await page.button('Keep in this browser').click()
    await page.status.getByText('is kept in this browser').waitFor()
    await peer.stop()

    await page.page.reload()
    await page.button('Open Unnamed').click()
    await page.button('a.txt').click()
    await page.shows('a.txt')
    expect((await page.download()).equals(TEXT)).toBe(true)
  })

  it('says that the peer does not have a block, and still adds files', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.connect()
    await page.openAddress(UNKNOWN)
    await page.view.getByRole('alert').waitFor()
    expect(await page.view.getByRole('alert').innerText()).toContain(`sent the block ${UNKNOWN}`)

    await page.add({ name: 'text', bytes: TEXT.subarray(0, 1000) })
  })

  it('says that the peer went away during a download, and still reads kept files', { tags: 'nightly' }, async () => {
    let stalled = ''
    const blockstore = new StallingBlockstore(cid => cid.multihash.digest.join() === stalled)
    const peer = await usePeer(blockstore)
    const cid = await peer.fs.addBytes(TEXT, { compression: COMPRESSION })
    // the last leaf never comes
    const stats = await ipfsz({ blockstore }).stat(cid)
    const { Links } = dagPb.decode(Buffer.concat(await Array.fromAsync(blockstore.get(stats.plainCid))))
    stalled = Links.at(-1)?.Hash.multihash.digest.join() ?? ''

    const page = await open({ expected: /WebSocket/ })
    await page.add({ name: 'kept', bytes: TEXT.subarray(0, 50_000) })
    await page.connect(peer.address)
    await page.openAddress(cid.toString())
    await page.shows('Unnamed')
    await page.button('Download').click()
    await page.status.getByText('Reading Unnamed').waitFor()
    await peer.stop()

    await page.view.getByRole('alert').waitFor()
    expect(await page.view.getByRole('alert').innerText()).toContain('The peer disconnected before everything arrived')
    expect(await page.page.locator('.connected').count()).toBe(0)

    await page.button('Open kept').click()
    await page.shows('kept')
    expect((await page.download()).equals(TEXT.subarray(0, 50_000))).toBe(true)
  })

  it('still reads an open kept file when the peer goes away', { tags: 'nightly' }, async () => {
    const peer = await usePeer(new MemoryBlockstore())
    const page = await open({ expected: /WebSocket/ })
    await page.add({ name: 'kept', bytes: TEXT })
    await page.connect(peer.address)
    await page.button('Open kept').click()
    await page.shows('kept')
    await peer.stop()
    await page.status.getByText('The peer has disconnected').waitFor()

    await page.drag(0.2, 0.4)
    expect(await page.view.getByRole('alert').count()).toBe(0)
    expect((await page.download()).equals(TEXT)).toBe(true)
  })

  it('says that the storage is full when a fetched file does not fit, and does not list the file', {
    tags: 'nightly'
  }, async () => {
    const bytes = noise(12_000_000)
    const cid = await demo().peer.fs.addBytes(bytes)
    const page = await open({ expected: /Quota/ })
    const session = await page.page.context().newCDPSession(page.page)
    await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(demo().url).origin, quotaSize: 4_000_000 })
    await page.connect()
    await page.openAddress(cid.toString())
    await page.button('Keep in this browser').click()
    await page.view.locator('.keep').getByRole('alert').getByText('The storage of this browser is full').waitFor()

    expect(await page.page.locator('#entries > li').count()).toBe(0)
  })

  it('shows the names in a folder of a peer unchanged, whatever their characters', { tags: 'nightly' }, async () => {
    const names = ['<b>bold', '100%.txt', 'a b', 'x#y?z', '\u202Egpj.exe', 'ÜBER']
    const results = await Array.fromAsync(
      demo().peer.fs.addAll(names.map(name => ({ path: `odd/${name}`, content: TEXT.subarray(0, 1000) })))
    )
    const page = await open()
    await page.connect()
    await page.openAddress(String(results.at(-1)?.cid))
    await page.view.locator('.listing').waitFor()
    expect((await page.view.locator('.listing button').allInnerTexts()).toSorted()).toEqual(names.toSorted())

    for (const name of names) {
      await page.openAddress(`${results.at(-1)?.cid}/${name}`)
      await page.shows(name)
    }

    await page.openAddress(`ipfs://${results.at(-1)?.cid}/x%23y%3Fz`)
    await page.shows('x#y?z')
  })

  it('says that it needs WebSockets when an address does not use them', { tags: 'nightly' }, async () => {
    const page = await open()
    await page.page.getByLabel('Address of a peer that speaks WebSockets').fill(demo().peer.address.replace('/ws', ''))
    await page.button('Connect').click()
    await page.page.locator('#peer').getByRole('alert').getByText('WebSockets').waitFor()
  })

  it('says that it cannot connect, and then connects to another peer', { tags: 'nightly' }, async () => {
    const peer = await startNodePeer()
    await peer.stop()

    const page = await open({ expected: /WebSocket/ })
    await page.page.getByLabel('Address of a peer that speaks WebSockets').fill(peer.address)
    await page.button('Connect').click()
    await page.page.locator('#peer').getByRole('alert').getByText(`No response from ${peer.address}`).waitFor()

    await page.page.getByLabel('Address of a peer that speaks WebSockets').fill('nonsense')
    await page.button('Connect').click()
    await page.page.locator('#peer').getByRole('alert').getByText('must start with').waitFor()

    await page.connect(demo().peer.address)
  })
})
