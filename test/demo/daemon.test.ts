import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectSuccess, it, parseLines } from '../integration/run-cli.ts'
import { useDemo } from './open-demo.ts'
import type { RunningDaemon } from '../support/network-daemons.ts'
import type { Sandbox } from '../integration/run-cli.ts'

const LISTEN = ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws']

/** Start `ipfsz daemon`, with the WebSocket address that pages dial. */
async function startWithWebSockets (sandbox: Sandbox): Promise<RunningDaemon> {
  const daemon = await startDaemon(sandbox, { listen: LISTEN })
  const [{ addresses }] = parseLines((await sandbox.run(['id', '--json'])).stdout) as Array<{ addresses: string[] }>

  return { ...daemon, address: addresses.find(address => address.includes('/ws/')) ?? '' }
}

describe('the demo page with ipfsz', () => {
  const { open } = useDemo()

  it('reads a file from the daemon, and fetches only one leaf for a small range', async ({ sandbox }) => {
    const bytes = text(6_000_000)
    const cid = await sandbox.add(bytes, '--frame-size', '1MiB')
    const daemon = await startWithWebSockets(sandbox)

    const page = await open()
    await page.connect(daemon.address)
    expect(await page.page.locator('.connected').innerText()).toContain(daemon.peerId)
    await page.openAddress(cid)
    await page.shows('Unnamed')
    await page.drag(0.9, 0.95)
    expect(await page.view.locator('.dag [data-kind=leaf].lit.peer').count()).toBe(1)
    expect((await page.download()).equals(bytes)).toBe(true)
  })

  it('keeps a file in a folder of the daemon, and reads it after the daemon stopped', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const bytes = text(500_000)
    await sandbox.shell('mkdir -p docs/deep')
    await sandbox.write('docs/deep/a.txt', bytes)
    const { stdout } = await sandbox.run(['add', '-Q', 'docs'])
    const daemon = await startWithWebSockets(sandbox)

    const page = await open({ expected: /WebSocket/ })
    await page.connect(daemon.address)
    await page.openAddress(`${stdout.toString().trim()}/deep/a.txt`)
    await page.shows('a.txt')
    await page.button('Keep in this browser').click()
    await page.status.getByText('is kept in this browser').waitFor()
    await daemon.stop()
    await page.status.getByText('The peer has disconnected').waitFor()

    await page.page.reload()
    await page.button('Open a.txt').click()
    await page.shows('a.txt')
    expect((await page.download()).equals(bytes)).toBe(true)
  })

  it('sends the daemon a file added in the page, over the connection that the page opened', async ({ sandbox }) => {
    const bytes = text(6_000_000, 7)
    const daemon = await startWithWebSockets(sandbox)

    const page = await open()
    await page.add({ name: 'from-the-page', bytes })
    await page.connect(daemon.address)
    const cid = await page.copied('CID')
    const read = await sandbox.run(['cat', cid])

    expectSuccess(read)
    expect(read.stdout.equals(bytes)).toBe(true)
    // the daemon has stored it, so the page is no longer needed
    await page.page.close()
    expect((await sandbox.run(['cat', '--offline', cid])).stdout.equals(bytes)).toBe(true)
  })

  it('says that a page cannot tell the daemon to fetch, and shows the command that does', {
    tags: 'nightly'
  }, async ({ sandbox }) => {
    const daemon = await startWithWebSockets(sandbox)

    const page = await open()
    await page.add({ name: 'text', bytes: text(100_000) })
    await page.connect(daemon.address)
    await page.button('Give to the peer').click()
    await page.view.getByText(`ipfsz get ${await page.copied('CID')}`).waitFor()
    expect(await page.view.locator('.outcome').innerText()).toContain('A page cannot make this peer fetch')
  })

  it('gives a file the same CID as ipfsz add --deterministic', { tags: 'nightly' }, async ({ sandbox }) => {
    const bytes = text(3_000_000, 3)
    const page = await open()
    await page.add({ name: 'text', bytes })

    expect(await page.copied('CID')).toBe(await sandbox.add(bytes, '--deterministic', '--frame-size', '1MiB'))
  })
})
