import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { createWriteStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { PackedBlockstore } from '@ipfsz/blockstore-packed'
import { FsBlockstore } from 'blockstore-fs'
import { LevelBlockstore } from 'blockstore-level'
import { varint } from 'multiformats'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export interface PackBlock {
  cid: CID
  bytes: Uint8Array
}

/** A blockstore, or a process that has one. `undefined` for what it cannot do. */
export interface PackSide {
  name: string
  add: (directory: string, blocks: readonly PackBlock[]) => Promise<void>
  read?: (directory: string, cids: readonly CID[]) => Promise<void>
  list?: (directory: string) => Promise<void>
  delete?: (directory: string, cids: readonly CID[]) => Promise<void>
  rebuild?: (directory: string) => Promise<void>
}

interface OpenStore extends Blockstore {
  open: () => Promise<void> | void
  close: () => Promise<void> | void
}

/** The `ipfs` that `npm run kubo` builds. */
const KUBO = join(import.meta.dirname, '../../node_modules/.bin/ipfs')

export const PACK_SIDES: readonly PackSide[] = [
  {
    ...storeSide('PackedBlockstore', directory => new PackedBlockstore(directory)),
    rebuild: async directory => {
      const store = new PackedBlockstore(directory)
      await store.open()
      await store.rebuildIndex()
      await store.close()
    }
  },
  storeSide('FsBlockstore', directory => new FsBlockstore(directory)),
  storeSide('LevelBlockstore', directory => new LevelBlockstore(directory)),
  ...existsSync(KUBO) ? [kuboSide('Kubo, flatfs', []), kuboSide('Kubo, pebbleds', ['--profile', 'pebbleds'])] : []
]

function storeSide (name: string, make: (directory: string) => OpenStore): PackSide {
  const using = async (directory: string, work: (store: OpenStore) => Promise<void>): Promise<void> => {
    const store = make(directory)
    await store.open()
    await work(store)
    await store.close()
  }

  return {
    name,
    add: async (directory, blocks) => using(directory, async store => drain(store.putMany(blocks))),
    read: async (directory, cids) => using(directory, async store => {
      for (const cid of cids) {
        await drain(store.get(cid))
      }
    }),
    list: async directory => using(directory, async store => drain(store.getAll())),
    delete: async (directory, cids) => using(directory, async store => drain(store.deleteMany(cids)))
  }
}

/** Kubo takes and lists blocks in one call each; reading and deleting one by one would measure its start. */
function kuboSide (name: string, init: string[]): PackSide {
  return {
    name,
    add: async (directory, blocks) => {
      const car = `${directory}.car`
      await writeCar(car, blocks)
      await runKubo(directory, ['init', '--empty-repo', ...init])
      await runKubo(directory, ['dag', 'import', '--pin-roots=false', car])
    },
    list: async directory => runKubo(directory, ['refs', 'local']),
    delete: async (directory, cids) => runKubo(directory, ['block', 'rm', '--force', '--quiet', ...cids.map(String)])
  }
}

async function runKubo (directory: string, args: string[]): Promise<void> {
  const child = spawn(KUBO, args, { env: { ...process.env, IPFS_PATH: directory }, stdio: 'ignore' })
  const [code] = await once(child, 'exit')

  if (code !== 0) {
    throw new Error(`ipfs ${args.slice(0, 2).join(' ')} ended with ${code}`)
  }
}

async function writeCar (file: string, blocks: readonly PackBlock[]): Promise<void> {
  const stream = createWriteStream(file)
  stream.write(Buffer.from('11a265726f6f7473806776657273696f6e01', 'hex'))

  for (const { cid, bytes } of blocks) {
    const length = cid.bytes.byteLength + bytes.byteLength
    const head = varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))

    if (!stream.write(Buffer.concat([head, cid.bytes, bytes]))) {
      await once(stream, 'drain')
    }
  }

  stream.end()
  await once(stream, 'close')
}

async function drain (source: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  for await (const item of source) {
    void item
  }
}
