/** @module-tag nightly */
import { describe, expect, it } from 'vitest'
import { startNodePeer } from '../../examples/web-app/node-peer.ts'
import { formatLink } from '../../examples/web-app/src/ipfs/link.ts'
import { text } from '../support/data.ts'
import { useDemo } from './open-demo.ts'
import type { CID } from 'multiformats/cid'

const TEXT = text(300_000)
/** Runs a script if it is inserted as HTML. */
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

/**
 * Locks the list of kept files, as a tab that writes it does. `asked` is set once the page waits for the list, and
 * `release ()` lets it go, until the page has read it.
 */
const HOLD_RECORDS = `new Promise((resolve, reject) => {
  const name = 'ipfsz-demo/records'
  const { getAllKeys } = IDBObjectStore.prototype
  const opening = indexedDB.open(name)

  opening.onerror = reject
  opening.onsuccess = () => {
    const held = opening.result.transaction(name, 'readwrite').objectStore(name)
    let released = false
    const hold = () => { if (!released) { held.count().onsuccess = hold } }
    hold()

    IDBObjectStore.prototype.getAllKeys = function (...args) {
      window.asked = true
      return getAllKeys.apply(this, args)
    }
    window.release = async () => {
      released = true

      // transactions take turns: the page reads the keys in one, and each record, of which there is one, in another
      for (let i = 0; i < 4; i++) {
        await new Promise(resolve => {
          const after = opening.result.transaction(name, 'readwrite')
          after.oncomplete = resolve
          after.objectStore(name).count()
        })
      }
    }
    resolve()
  }
})`

describe('the address of the demo page', () => {
  const { open, demo } = useDemo()

  const urlOf = (hash: string): string => new URL(hash, demo().url).href

  /** A folder that the demo's peer has. */
  async function addFolder (): Promise<CID> {
    const names = ['docs/deep/a.txt', `docs/${HOSTILE.replaceAll('/', '-')}`]
    const results = await Array.fromAsync(demo().peer.fs.addAll(names.map(path => ({ path, content: TEXT }))))

    return (results.at(-1) as { cid: CID }).cid
  }

  it('is shared, and another browser connects and shows the same', async () => {
    const root = await addFolder()
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.connect()
    await page.openAddress(`${root}/deep/a.txt`)
    await page.shows('a.txt')
    await page.button('Share').click()
    await page.status.getByText('Copied the link').waitFor()
    const link = await page.page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).toBe(urlOf(formatLink({ address: { cid: root, path: 'deep/a.txt' }, peers: [demo().peer.address] })))
    expect(page.page.url()).toBe(link)

    const other = await open({ url: link })
    await other.shows('a.txt')
    expect((await other.download()).equals(TEXT)).toBe(true)
    expect(await other.page.locator('.connected').innerText()).toContain(demo().peer.address.split('/').at(-1))
  })

  it('names several peers, of which one answers, and a file that it names', async () => {
    const gone = await startNodePeer()
    await gone.stop()
    const cid = await demo().peer.fs.addBytes(TEXT)
    const address = { cid, path: '' }
    const peers = [gone.address, demo().peer.address]
    const page = await open({
      url: urlOf(formatLink({ address, peers, filename: `${HOSTILE}.txt` })),
      expected: /WebSocket/
    })
    await page.shows(`${HOSTILE}.txt`)

    expect(await page.page.evaluate('window.hacked')).toBeUndefined()
    await expect.poll(() => page.page.url())
      .toBe(urlOf(formatLink({ address, peers: [demo().peer.address], filename: `${HOSTILE}.txt` })))
  })

  it('goes back and forward through what was opened, and stays after a reload', async () => {
    const page = await open()
    const start = page.page.url()
    await page.addSample('Folder', 'trip')
    await page.button('notes').click()
    await page.button('story.txt').click()
    await page.shows('story.txt')
    await page.page.goBack()
    await page.shows('notes')
    await page.page.goBack()
    await page.shows('trip')
    await page.page.goForward()
    await page.shows('notes')
    await page.page.reload()
    await page.shows('notes')
    await page.page.goBack()
    await page.shows('trip')
    await page.page.goBack()
    await page.view.getByText('Add a file or paste a CID').waitFor()

    expect(page.page.url()).toBe(start)
  })

  it('is followed by what is shown when somebody goes back twice, quickly', async () => {
    const page = await open()
    const start = page.page.url()
    await page.addSample('Folder', 'trip')
    const [, root] = /#\/ipfs\/(\w+)/.exec(page.page.url()) ?? []
    await page.page.goto(start)
    await page.page.waitForSelector('body[data-ready]')
    await page.openAddress(`${root}/notes`)
    await page.shows('notes')
    await page.openAddress(`${root}/notes/story.txt`)
    await page.shows('story.txt')

    await page.page.evaluate(HOLD_RECORDS)
    await page.page.goBack()
    await expect.poll(async () => page.page.evaluate('window.asked')).toBe(true)
    await page.page.goBack()
    await page.view.getByText('Add a file or paste a CID').waitFor()
    await page.page.evaluate('release()')

    expect(page.page.url()).toBe(start)
    expect(await page.view.innerText()).toContain('Add a file or paste a CID')
  })

  it('says what is wrong with it, and the page still works', async () => {
    const page = await open()
    const sockets: string[] = []
    page.page.on('websocket', socket => { sockets.push(socket.url()) })
    const { origin } = new URL(demo().url)
    const cid = await demo().peer.fs.addBytes(TEXT)

    for (
      const [hash, reason] of [
        [`#/ipfs/${HOSTILE}`, 'is not a CID'],
        ['#/ipfs/', 'does not begin with #/ipfs/ and a CID'],
        [`#/ipfs/${cid}${'/a'.repeat(4000)}`, 'a path of more than 256 names'],
        [`#/ipfs/${cid}/${'a'.repeat(20_000)}`, 'longer than 8192 characters'],
        [`#/ipfs/${cid}/%`, 'an invalid percent-encoding'],
        [`#/ipfs/${cid}?peer=/ip4/127.0.0.1/tcp/1/ws`, 'is not the address of a peer for a page'],
        [`#/ipfs/${cid}?peer=${encodeURIComponent(HOSTILE)}`, 'is not the address of a peer for a page'],
        ['#nonsense', 'does not begin with #/ipfs/ and a CID'],
        [`#/ipfs/${cid}`, 'It is not kept in this browser, and no peer is connected']
      ] as const
    ) {
      await page.page.goto(`${origin}/${hash}`)
      await page.view.getByRole('alert').getByText(reason).waitFor()
    }

    expect(await page.page.evaluate('window.hacked')).toBeUndefined()
    expect(sockets).toEqual([])
    await page.add({ name: 'text', bytes: TEXT })
  })

  it('does not dial a peer of the reader\'s own network from a page of the internet', async () => {
    const address = { cid: await demo().peer.fs.addBytes(TEXT), path: '' }
    const sockets: string[] = []
    const page = await open({
      url: `https://demo.example.com/${formatLink({ address, peers: [demo().peer.address] })}`,

      async prepare (page) {
        page.on('websocket', socket => { sockets.push(socket.url()) })
        await page.route('https://demo.example.com/**', async route => {
          const { pathname } = new URL(route.request().url())

          await route.fulfill({ response: await route.fetch({ url: new URL(pathname, demo().url).href }) })
        })
      }
    })
    await page.view.getByRole('alert').waitFor()

    expect(await page.view.getByRole('alert').innerText()).toContain('has a peer in your own network')
    expect(sockets).toEqual([])
    // the address is filled in, for those who do
    expect(await page.page.getByLabel('Address of a peer').inputValue()).toBe(demo().peer.address)
  })
})
