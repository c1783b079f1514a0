import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { car } from '@helia/car'
import { isMarked, markerCodecs, unmark } from '@ipfsz/core'
import { createHeliaLight } from 'helia'
import { openToRead, parseCid, resolvePath, withRepo } from '../context.ts'
import { walkDag } from '../dag-walk.ts'
import { DamagedDagError, InvalidCarError, UsageError } from '../errors.ts'
import { markedTwin } from '../marked-twins.ts'
import { tellDaemon } from '../network/tell-daemon.ts'
import { printable } from '../output.ts'
import { openCar } from '../read-car.ts'
import { formatSize } from '../units.ts'
import { writeWhole } from '../write-file.ts'
import type { Context, Session } from '../context.ts'
import type { Repo } from '../repo.ts'
import type { Car, ExportStrategy } from '@helia/car'
import type { CID } from 'multiformats/cid'

/** The path that stands for stdin or stdout. */
const STDIO = '-'

/** Write all that CIDs name into a CAR, whose roots are the plain CIDs. */
export async function exportCar (texts: string[], path: string, context: Context): Promise<void> {
  const { io, output, signal } = context
  const cids = texts.map(parseCid)
  const { repo, files } = await openToRead(context)
  const bytes = toCar(repo).export(cids.map(unmark), { exporter: wholeDag(signal), signal })
  const marked = await Promise.all(cids.map(async cid => isMarked(cid) ? cid : markedTwin(cid, files, signal)))
  let size = 0

  if (path === STDIO) {
    for await (const piece of bytes) {
      size += piece.byteLength
      await output.bytes(piece, signal)
    }
  } else {
    const target = resolvePath(path, io)
    await writeWhole(target, counted(), output.progress(basename(target)))
  }

  for (const [i, cid] of cids.entries()) {
    const plain = unmark(cid)
    const line = `${plain}\t${marked[i] ?? plain}\t${path === STDIO ? '-' : printable(path)}\t${formatSize(size)}`

    if (path === STDIO) {
      // stdout has the CAR
      output.note(line)
    } else {
      output.result({ plainCid: plain.toString(), markedCid: marked[i]?.toString(), path, size }, line)
    }
  }

  async function * counted (): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      size += piece.byteLength
      yield piece
    }
  }
}

/** Put what is in CARs into the repo, and pin their roots. */
export async function importCar (paths: string[], { sync }: { sync: boolean }, context: Context): Promise<void> {
  if (paths.filter(path => path === STDIO).length > 1) {
    throw new UsageError('- is given more than once: stdin can be read only once')
  }

  await withRepo(context, { lock: 'add', sync }, async session => {
    for (const path of paths) {
      await importOne(path, session, context)
    }
  })
}

async function importOne (path: string, { repo, files, pins }: Session, context: Context): Promise<void> {
  const { io, output, signal } = context
  const name = path === STDIO ? 'stdin' : printable(path)
  const opened = await openCar(path === STDIO ? io.stdin : createReadStream(resolvePath(path, io), { signal }), name)

  await toCar(repo).import(opened, { signal })

  for (const root of opened.roots) {
    const plain = unmark(root)

    try {
      await pins.add(isMarked(root) ? root : await markedTwin(plain, files, signal) ?? plain, signal)
    } catch (err) {
      throw err instanceof DamagedDagError || (err instanceof Error && err.name === 'NotFoundError')
        ? new InvalidCarError(`${name} is cut short, or never had all blocks: ${err.message}`, { cause: err })
        : err
    }
  }

  await tellDaemon(repo.path, opened.roots, context)

  for (const root of opened.roots) {
    const plain = unmark(root)
    const marked = isMarked(root) ? root : await markedTwin(plain, files, signal)

    output.result({ cid: (marked ?? plain).toString(), plainCid: plain.toString(), markedCid: marked?.toString() }, `${plain}\t${marked ?? 'not compressed'}`)
  }
}

/** Helia's CARs, of the blocks of a repo. */
function toCar ({ blockstore, datastore }: Repo): Car {
  const { logger, getCodec } = createHeliaLight({ blockstore, datastore, codecs: markerCodecs })

  // not the blockstore of the node: that keeps a damaged block where the CAR has it whole
  return car({ logger, getCodec, blockstore })
}

/** Every block once, each compared with its hash. Helia's strategies walk again what is linked again. */
function wholeDag (signal: AbortSignal): ExportStrategy {
  const seen = new Set<string>()

  return {
    async * export (root: CID, blockstore) {
      for await (const { cid, bytes } of walkDag(root, blockstore, { signal, leaves: 'read', seen })) {
        yield { cid, bytes } as never
      }
    }
  }
}
