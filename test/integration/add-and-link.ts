/**
 * Adds files with links, and deletes links, until it is killed:
 * `node add-and-link.ts DIRECTORY SEED`. Every line of stdout is a step:
 *
 * - `begin add NUMBER`, `begin delete NUMBER`: starts to link, or to unlink, this file
 * - `write`: is about to write an entry of a link
 * - `end CID`: is done; the file is linked to this CID, or to none
 */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { FsDatastore } from 'datastore-fs'
import { random } from '../support/data.ts'
import { linkedFiles } from './linked-files.ts'

const CODECS = ['zstd', 'gzip', 'lz4', 'brotli'] as const
const [directory, seed] = process.argv.slice(2)

/** Write synchronously, so that the line arrives even if the process is killed next. */
function say (line: string): void {
  writeSync(1, `${line}\n`)
}

class SayingDatastore extends FsDatastore {
  override async put (...args: Parameters<FsDatastore['put']>): ReturnType<FsDatastore['put']> {
    say('write')

    return super.put(...args)
  }

  override async delete (...args: Parameters<FsDatastore['delete']>): ReturnType<FsDatastore['delete']> {
    say('write')

    return super.delete(...args)
  }
}

const blockstore = new FsBlockstore(join(directory, 'blocks'))
const datastore = new SayingDatastore(join(directory, 'datastore'))
await blockstore.open()
await datastore.open()

const fs = ipfsz({ blockstore, datastore })
const files = await linkedFiles(unixfs)
const next = random(Number(seed))

for (;;) {
  const number = next() % files.length
  const { bytes, original } = files[number]

  if (next() % 4 === 0) {
    say(`begin delete ${number}`)
    const side = next() % 2 === 0 ? await fs.links.get(original) : original
    await fs.links.delete(side ?? original)
    say('end')
  } else {
    say(`begin add ${number}`)
    const cid = await fs.addBytes(bytes, {
      link: true,
      compression: { codec: CODECS[next() % CODECS.length], frameSize: 64 * 1024 }
    })
    say(`end ${cid}`)
  }
}
