/**
 * `bench/links.ts` starts this program for every round. It opens a datastore and reads all
 * its links, twice, and prints how long each step took. The first time is mostly JavaScript
 * that runs for the first time.
 *
 * `node read-links.ts NAME DIRECTORY`
 */
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { DATASTORES } from './link-datastores.ts'

/** How many links were read, and the milliseconds to open the datastore and to read them. */
export interface Read {
  count: number
  open: number
  read: number
}

const [name, directory] = process.argv.slice(2)

async function read (): Promise<Read> {
  const datastore = await DATASTORES[name].make(directory)
  const { links } = ipfsz({ blockstore: new MemoryBlockstore(), datastore })
  const started = performance.now()
  await datastore.open()
  const opened = performance.now()
  let count = 0

  for await (const { original, compressed } of links.list()) {
    count += original.code === compressed.code ? 0 : 1
  }

  const read = performance.now() - opened
  await datastore.close()

  return { count, open: opened - started, read }
}

process.stdout.write(JSON.stringify([await read(), await read()]))
