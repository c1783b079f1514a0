import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { isIdentity, isMarked, unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { openToRead, parseCid, resolvePath, withRepo } from '../context.ts'
import { Reached } from '../dag-walk.ts'
import { DamagedDagError, InvalidCarError, UsageError } from '../errors.ts'
import { markedTwin } from '../marked-twins.ts'
import { tellDaemon } from '../network/tell-daemon.ts'
import { printable } from '../output.ts'
import { openCar } from '../read-car.ts'
import { formatSize } from '../units.ts'
import { writeCar } from '../write-car.ts'
import { writeWhole } from '../write-file.ts'
import type { Context, Session } from '../context.ts'

/** The path that stands for stdin or stdout. */
const STDIO = '-'

/** Write all that CIDs name into a CAR, whose roots are the plain CIDs. */
export async function exportCar (texts: string[], path: string, context: Context): Promise<void> {
  const { io, output, signal } = context
  const cids = texts.map(parseCid)
  const { repo, files } = await openToRead(context)
  const bytes = writeCar(cids.map(unmark), repo.blockstore, signal)
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

  for await (const _ of repo.blockstore.putMany(opened.blocks(), { signal })) {
    // it is written as it is read
  }

  const found = []
  const reached = new Reached()

  for (const root of opened.roots) {
    const plain = unmark(root)

    try {
      const marked = isMarked(root) ? root : await markedTwin(plain, files, signal)

      // of a CID that is all of its file there is nothing to keep
      if (!isIdentity(plain) || plain.code !== raw.code) {
        await pins.add(marked ?? plain, signal, reached)
      }

      found.push({ plain, marked })
    } catch (err) {
      throw unusable(name, err)
    }
  }

  await tellDaemon(repo.path, opened.roots, context)

  for (const { plain, marked } of found) {
    output.result({ cid: (marked ?? plain).toString(), plainCid: plain.toString(), markedCid: marked?.toString() }, `${plain}\t${marked ?? 'not compressed'}`)
  }
}

/** What is wrong with a CAR, where what its root leads to is not as it should be. */
function unusable (name: string, err: unknown): unknown {
  const reason = err instanceof DamagedDagError ? err.cause : err

  if (!(err instanceof Error && reason instanceof Error)) {
    return err
  }

  switch (reason.name) {
    case 'MissingBlockError':
    case 'NotFoundError':
      return new InvalidCarError(`${name} is cut short, or never had all blocks: ${err.message}`, { cause: err })
    case 'NotUnixFSError':
    case 'UnknownBlockError':
      return new InvalidCarError(`${name} holds something that is not UnixFS: ${err.message}`, { cause: err })
    case 'CorruptBlockError':
    case 'DigestLengthError':
    case 'UnknownHashError':
      return new InvalidCarError(`${name} cannot be imported: ${err.message}`, { cause: err })
    default:
      return err
  }
}
