import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { CountingBlockstore } from '../blocks.ts'
import { createRepo, hasKubo, startKubo } from '../kubo.ts'
import { startCommandSides } from './command-sides.ts'
import type { ChildProcess } from 'node:child_process'
import type { CID } from 'multiformats/cid'
import type { KuboDaemon } from '../kubo.ts'
import type { Fetched, FetcherInit, KuboFetcherInit, Provider, ProviderInit } from './messages.ts'
import type { Transport } from './node.ts'
import type { Offer, Side, Sides } from './side.ts'

const LEVEL = 3

/** The library. The fetching Helia is made by `withIpfsz` and stock otherwise, the providing one is stock. */
export const LIBRARY = 'ipfsz, zstd'

/** Start all providers and fetchers on this machine. */
export async function startSides (directory: string): Promise<Sides> {
  const stops: Array<() => unknown> = []
  const sides: Side[] = []

  const helia = async (name: string, transport: Transport, reader: FetcherInit['reader']): Promise<void> => {
    const blocks = join(directory, `blocks-${sides.length}`)
    const { child, peer, port } = await startProvider({ blocks, transport })
    stops.push(() => child.kill())

    sides.push({
      name,
      port,
      compressesOnTheWay: transport === 'compressed',
      offer: async file => offer(file, blocks, reader),
      fetch: async ({ cid }, { port }, size, timeout, onReady) =>
        runFetcher('fetcher.ts', { peer, port, transport, reader, cid, size, timeout }, onReady)
    })
  }

  try {
    await helia('plain Helia', 'plain', 'helia')
    await helia(LIBRARY, 'plain', 'ipfsz')

    const command = await startCommandSides(directory)
    sides.push(...command.sides)
    stops.push(command.stop)

    // compressed on the connection only
    await helia('plain CID with libp2p compression', 'compressed', 'helia')

    if (await hasKubo()) {
      const { kubo, stop } = await startKuboSides(directory)
      sides.push(...kubo)
      stops.push(stop)
    }
  } catch (err) {
    await stopAll(stops)
    throw err
  }

  return { sides, close: async () => stopAll(stops) }
}

async function stopAll (stops: ReadonlyArray<() => unknown>): Promise<void> {
  for (const stop of stops) {
    await stop()
  }
}

export async function startProvider (init: ProviderInit): Promise<Provider & { child: ChildProcess }> {
  const child = fork(join(import.meta.dirname, 'provider.ts'), [JSON.stringify(init)])
  const [provider] = await once(child, 'message') as [Provider]

  return { ...provider, child }
}

async function offer (file: string, blocks: string, reader: FetcherInit['reader']): Promise<Offer> {
  const inner = new FsBlockstore(blocks)
  await inner.open()
  const blockstore = new CountingBlockstore(inner)
  const files: { addByteStream (bytes: AsyncIterable<Uint8Array>): Promise<CID> } = reader === 'ipfsz' ? ipfsz({
    blockstore
  }) : unixfs({ blockstore })
  const cid = await files.addByteStream(createReadStream(file))
  await inner.close()

  return { cid: cid.toString(), stored: blockstore.bytes }
}

/** Run a fetcher process. Calls `onReady` just before it fetches. */
async function runFetcher (
  program: string,
  init: FetcherInit | KuboFetcherInit,
  onReady: () => void
): Promise<Fetched> {
  const child = fork(join(import.meta.dirname, program), [JSON.stringify(init)])
  const fail = once(child, 'exit').then(([code]) => { throw new Error(`${program} ended with ${code}`) })
  // the process exits after the fetch, when nothing waits for `fail` any more
  fail.catch(() => {})

  await Promise.race([once(child, 'message'), fail])
  onReady()
  child.send('go')
  const [fetched] = await Promise.race([once(child, 'message'), fail]) as [Fetched]

  return fetched
}

/** Kubo to Kubo: the file uncompressed, and compressed by `zstd` before the add. */
async function startKuboSides (directory: string): Promise<{ kubo: Side[], stop: () => Promise<void> }> {
  const daemons: KuboDaemon[] = []

  for (const name of ['kubo-provider', 'kubo-fetcher']) {
    await createRepo(join(directory, name))
    daemons.push(await startKubo(join(directory, name)))
  }

  const [provider, fetcher] = daemons

  const side = (name: string, decompress: boolean): Side => ({
    name,
    port: provider.port,
    offer: async file => offerKubo(provider, decompress ? await compressWhole(file) : await readFile(file)),
    fetch: async ({ cid }, { port }, size, timeout, onReady) => {
      await fetcher.call('swarm/disconnect', { arg: `/p2p/${provider.peer}` }).catch(() => {})
      await (await fetcher.call('repo/gc')).text()
      await (await fetcher.call('swarm/connect', { arg: `/ip4/127.0.0.1/tcp/${port}/p2p/${provider.peer}` })).text()

      const before = await fetcher.cpu()
      const fetched = await runFetcher(
        'kubo-fetcher.ts',
        { url: fetcher.url('cat', { arg: cid }), decompress, size, timeout },
        onReady
      )

      return { ...fetched, cpu: (fetched.cpu ?? 0) + await fetcher.cpu() - before }
    }
  })

  return {
    kubo: [side('Kubo', false), side(`Kubo, zstd -${LEVEL} piped`, true)],
    stop: async () => { await Promise.all(daemons.map(async daemon => daemon.stop())) }
  }
}

async function compressWhole (file: string): Promise<Uint8Array> {
  return promisify(zstdCompress)(await readFile(file), { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
}

async function offerKubo (daemon: KuboDaemon, bytes: Uint8Array): Promise<Offer> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(bytes)]))
  const { Hash } = await (await daemon.call('add', { pin: 'true' }, body)).json() as { Hash: string }
  // counts each block once, as it is stored; the size that `add` reports counts equal blocks repeatedly
  const { TotalSize } = await (await daemon.call('dag/stat', { arg: Hash, progress: 'false' })).json() as {
    TotalSize: number
  }

  return { cid: Hash, stored: TotalSize }
}
