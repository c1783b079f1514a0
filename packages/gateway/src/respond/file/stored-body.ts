import { acceptsCoding } from '../../request/accept-encoding.ts'
import { readStored } from '../read-file.ts'
import type { ResponseContext } from '../context.ts'
import type { Representation, StoredBody } from '../stored-file.ts'
import type { ServedFile } from './served-file.ts'

/**
 * How a file can go out as it is stored. Undefined: it cannot.
 *
 * @param available - the SHA-256 of a dictionary of the client with which the file may be compressed
 */
export async function findStored (
  context: ResponseContext,
  served: ServedFile,
  available: string | undefined
): Promise<Representation | undefined> {
  const { init: { parts: { dictionaries, storedFiles } }, request, signal } = context
  const { file, isCompressed } = served

  if (!isCompressed || storedFiles == null) {
    return undefined
  }

  const delta = available == null ? undefined : await dictionaries?.chooseDelta(context, served, available)

  if (delta != null) {
    return delta
  }

  const { stored } = await file.open(signal)

  return stored && storedFiles.chooseRepresentation(stored, coding => acceptsCoding(request.headers, coding))
}

/** The file as it is stored, if its first bytes say that clients can decode it. */
export async function openStored (
  context: ResponseContext,
  { file }: ServedFile,
  representation: Representation | undefined,
  signal: AbortSignal
): Promise<StoredBody | undefined> {
  const { storedFiles } = context.init.parts

  if (representation == null || storedFiles == null) {
    return undefined
  }

  // it may have been closed since
  const handle = await file.open(signal)
  const stored = representation.coding === 'dcz' ? handle.based : handle.stored

  if (stored == null) {
    return undefined
  }

  const { start, frames, close } = await storedFiles.openFrames(readStored(context, stored, signal))

  if (storedFiles.canSend(representation, start)) {
    return { ...representation, bytes: storedFiles.storedBytes(stored, representation, frames) }
  }

  close()

  return undefined
}
