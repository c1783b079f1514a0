import { unpackTar } from 'modern-tar'
import { UnixFS } from 'ipfs-unixfs'
import { ipfsz } from '@ipfsz/core'
import { respondTar } from '../src/respond/tar/tar.ts'
import { contextOf, PB } from './dag-fixtures.ts'
import type { Store } from './dag-fixtures.ts'
import type { CID } from 'multiformats/cid'

type Init = Parameters<typeof contextOf>[3]

export async function ask (
  here: Store,
  cid: CID,
  init: Init = {},
  path = '',
  query = '?format=tar'
): Promise<Response> {
  const found = path === '' ? cid : (await here.fs.stat(cid, { path })).cid
  const stats = await ipfsz(here).stat(found)
  const url = `/ipfs/${cid}${path === '' ? '' : `/${encodeURI(path)}`}${query}`

  return respondTar(contextOf(here, url, { cid: found, roots: [cid], stats }, init))
}

export async function unpack (response: Response): Promise<Array<[string, string]>> {
  const entries = await unpackTar(await response.bytes(), { strict: true })

  return entries.map(({ header, data }) => [
    header.name,
    header.type === 'file' ? new TextDecoder('latin1').decode(data) : `${header.type} ${header.linkname}`
  ])
}

export async function file (here: Store, content: string): Promise<CID> {
  return here.fs.addBytes(new TextEncoder().encode(content))
}

/** A directory of names that no importer would write. */
export async function directory (here: Store, entries: Array<[string, CID]>): Promise<CID> {
  return here.put(PB, {
    Data: new UnixFS({ type: 'directory' }).marshal(),
    Links: entries.map(([Name, Hash]) => ({ Name, Hash, Tsize: 10 }))
  })
}

export async function symlink (here: Store, target: string): Promise<CID> {
  return here.put(PB, {
    Data: new UnixFS({ type: 'symlink', data: new TextEncoder().encode(target) }).marshal(),
    Links: []
  })
}
