// blockstore-fs 4.0.1: reports every failure as a missing block, and lists only blocks of sha2-256
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256, sha512 } from 'multiformats/hashes/sha2'

const directory = await mkdtemp(join(tmpdir(), 'blocks-'))
const store = new FsBlockstore(directory)
await store.open()
const bytes = Uint8Array.of(1)
const [cid, other] = await Promise.all([sha256, sha512].map(async hasher =>
  CID.createV1(raw.code, await hasher.digest(bytes))))
await store.put(cid, bytes)
const file = (await readdir(directory, { recursive: true })).find(name => name.endsWith('.data'))
// a file that cannot be read
await rm(join(directory, file))
await mkdir(join(directory, file))
const unreadable = await store.get(cid).next().catch(err => err.name)
await rm(join(directory, file), { recursive: true })
await store.put(other, bytes)
const listed = await store.getAll().next().then(() => 'listed', () => 'not listed')
await rm(directory, { recursive: true })

// prints NotFoundError, not listed; expected: GetFailedError, listed
console.info(`${unreadable}, ${listed}`)
